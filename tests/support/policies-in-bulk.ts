import { USER_PROFILE } from '../../src/domains/people/users/index.ts'
import { PRIVATE } from '../../src/domains/cover/policies/unseal-policy.ts'
import { nextMoveOn } from '../../src/domains/cover/policies/states.ts'
import type { Vault } from '../../src/kernel/crypto/vault.ts'
import { addDays, addMonths } from '../../src/kernel/date.ts'
import { newId } from '../../src/kernel/id.ts'
import type { TestApp } from './app.ts'

const ROWS_A_STATEMENT = 1_000
const DAY_MS = 86_400_000

type Sql = (text: string, values?: unknown[]) => Promise<unknown>
type Catalogue = { platformId: string; benefitId: string; benefitProviderId: string }
export type BulkTerms = {
  start_date: string
  renewal_window_days: number
  grace_days: number
  last_modified_at?: string
}
type Row = Record<string, unknown>

/**
 * Inserts a user for each of these terms, and their policy, ISSUED for twelve months; sealed as the product seals them.
 * Enrolment through the API would take minutes for thousands. Returns the policies in the order of the terms.
 */
export async function insertIssuedPolicies(
  sql: Sql,
  { vault, ...catalogue }: Catalogue & { vault: Vault },
  all: BulkTerms[],
): Promise<{ userId: string; id: string }[]> {
  const made: { userId: string; id: string }[] = []
  for (let first = 0; first < all.length; first += ROWS_A_STATEMENT) {
    const some = all.slice(first, first + ROWS_A_STATEMENT).map((terms, index) => {
      const userId = String(first + index).padStart(12, '0')
      const { wrapped, key } = vault.newDataKey()
      const id = newId('pol')
      const sealedData = { questionnaire: { questions: [{ question: 'Do you smoke?', answer: false }] } }
      const sealed = PRIVATE.seal(key, { userId, id }, sealedData)
      const profile = {
        first_name: 'Asha',
        last_name: 'Example',
        dob: '1990-05-17',
        phone_country_code: '+91',
        phone_number: userId,
      }
      made.push({ userId, id })
      return {
        user: userRow(vault, {
          userId,
          wrapped,
          sealed: USER_PROFILE.seal(key, { id: userId }, profile),
          ...catalogue,
        }),
        policy: policyRow({ userId, id, sealed, terms }, catalogue),
      }
    })
    await insertRows(
      sql,
      'users',
      some.map(({ user }) => user),
    )
    await insertRows(
      sql,
      'insurance_policies',
      some.map(({ policy }) => policy),
    )
  }
  return made
}

/** A platform and an insurer with so many ISSUED policies, each changed at some time of the day before yesterday or yesterday. */
export async function changedBefore(t: TestApp, count: number) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefitId = await t.benefit(platform, provider)
  const catalogue = { vault: t.deps.vault, platformId: platform.id, benefitId, benefitProviderId: provider.id }
  const terms = Array.from({ length: count }, (_, index) => ({
    start_date: '2026-04-01',
    renewal_window_days: 30,
    grace_days: 30,
    last_modified_at: new Date(Date.now() - DAY_MS - ((index * 7_919) % (DAY_MS / 1_000)) * 1_000).toISOString(),
  }))
  return { platform, provider, benefitId, made: await insertIssuedPolicies(t.sql, catalogue, terms) }
}

type NewUser = Catalogue & { userId: string; wrapped: string; sealed: string }

function userRow(vault: Vault, { userId, wrapped, sealed, platformId }: NewUser): Row {
  const hash = `\\x${vault.blindIndex('phone', userId).toString('hex')}`
  return { user_id: userId, platform_id: platformId, data_key: wrapped, sealed, profile_digest: hash, phone_hash: hash }
}

type NewPolicy = { userId: string; id: string; sealed: string; terms: BulkTerms }

function policyRow(
  { userId, id, sealed, terms }: NewPolicy,
  { platformId, benefitId, benefitProviderId }: Catalogue,
): Row {
  const end_date = addDays(addMonths(terms.start_date, 12), -1)
  const { renewal_window_days: renewalWindowDays, grace_days: graceDays } = terms
  return {
    ...terms,
    end_date,
    status: 'ISSUED',
    issue: 1,
    issued_dependant_ids: [],
    next_move_on: nextMoveOn({
      status: 'ISSUED',
      endDate: end_date,
      renewalWindowDays,
      graceDays,
      graceUntil: null,
      endsOn: null,
      issue: 1,
    }),
    user_id: userId,
    policy_id: id,
    platform_id: platformId,
    benefit_id: benefitId,
    benefit_provider_id: benefitProviderId,
    plan_code: 'FAMILY_5L',
    dependant_ids: [],
    term_months: 12,
    currency: 'INR',
    premium_annual_paise: 1_204_500,
    premium_daily_paise: 3_300,
    premium_sponsor_paise: 602_250,
    sealed,
  }
}

/** One statement: the rows are sent as one JSON document. */
async function insertRows(sql: Sql, table: string, rows: Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  const text = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`
  await sql(text, [JSON.stringify(rows)])
}
