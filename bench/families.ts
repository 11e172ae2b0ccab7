import { type DataKey, seal, type Vault } from '../src/kernel/crypto/vault.ts'
import { addDays, addMonths } from '../src/kernel/date.ts'
import { newId } from '../src/kernel/id.ts'
import { toPaise } from '../src/kernel/money.ts'
import { toIdentity } from '../src/domains/people/users/to-identity.ts'
import { USER_PROFILE } from '../src/domains/people/users/index.ts'
import { type Catalogue, PLAN } from './catalogue.ts'

const FIRST_NAMES = ['Asha', 'Ravi', 'Meera', 'Kiran', 'Lakshmi', 'Imran', 'Divya', 'आशा']
/** The first day of everybody's policies. */
export const START = '2026-04-01'
const HOUR_MS = 3_600_000
const SECOND_MS = 1_000

/** Spreads ids over all 12-digit numbers that begin with 2, as the product's own never do; step and space are coprime, so ids are unique. */
const ID_STEP = 48_271_000_003n
const ID_SPACE = 100_000_000_000n
const FIRST_PHONE = 6_000_000_000

/** Users join a second after each other, and their policies follow hour by hour: few rows of a table share a time. */
const timeOf = (index: number, hours = 0) =>
  new Date(Date.parse(START) + hours * HOUR_MS + index * SECOND_MS).toISOString()

export type UserInput = ReturnType<typeof userInputOf>
/** Rows by table, as JSON by column. */
export type Rows = Record<string, Record<string, unknown>[]>
type Family = { index: number; userId: string; key: DataKey; dependantIds: string[] }

export const userIdOf = (index: number) => `2${String((BigInt(index) * ID_STEP) % ID_SPACE).padStart(11, '0')}`

/** Returns what a platform sends to issue a user's token. */
export function userInputOf(index: number) {
  const firstName = pick(FIRST_NAMES, index)
  return {
    id_proof: { number: `AB${String(index).padStart(7, '0')}` },
    phone_country_code: '+91',
    phone_number: String(FIRST_PHONE + index),
    first_name: firstName,
    last_name: 'Example',
    email: `person.${index}@example.com`,
    dob: addDays('1960-01-01', index % 14_000),
    gender: index % 2 === 0 ? 'FEMALE' : 'MALE',
    address: { line1: `${index} Lake View`, city: 'Pune', state: 'Maharashtra', country: 'India', pincode: '411001' },
  } as const
}

/** Returns one to three. */
export const dependantCount = (index: number) => 1 + (index % 3)

/** Returns the wallet id of every second user. */
export const walletIdOf = (index: number) => (index % 2 === 0 ? `wal_${String(index).padStart(26, '0')}` : undefined)

/** Returns the rows of a user without any records, sealed like the product's. */
export function newcomerRows(vault: Vault, catalogue: Catalogue, index: number): Rows {
  return userRows(vault, { catalogue, index, userId: userIdOf(index), ...vault.newDataKey() })
}

/** Returns the rows of a user with one to three dependants, three policies and perhaps a wallet. */
export function familyRows(vault: Vault, catalogue: Catalogue, index: number): Rows {
  const { wrapped, key } = vault.newDataKey()
  const userId = userIdOf(index)
  const dependants = Array.from({ length: dependantCount(index) }, (_, position) =>
    dependantRow(vault, { userId, key }, position),
  )
  const family = { index, userId, key, dependantIds: dependants.map(({ dependant_id }) => dependant_id) }
  return {
    ...userRows(vault, { catalogue, index, userId, key, wrapped }),
    user_providers: [{ user_id: userId, benefit_provider_id: catalogue.benefitProviderId }],
    dependants,
    insurance_policies: catalogue.benefitIds.map((_, position) => policyRow(family, catalogue, position)),
    ...walletRows(catalogue, index),
  }
}

function walletRows({ platformId }: Catalogue, index: number): Rows {
  const partner_wallet_id = walletIdOf(index)
  if (partner_wallet_id === undefined) return {}
  const user_id = userIdOf(index)
  const wallet = {
    user_id,
    platform_id: platformId,
    partner_wallet_id,
    wallet_status: 'COMPLETED',
    wallet_status_partner: 'ACTIVE',
    balance_paise: 0,
    tries: 1,
    may_be_held: true,
    queued_at: `${START}T09:00:00Z`,
    operator_status: 'ACTIVE',
    operator_sequence: 1,
    revision: 3,
    last_modified_at: timeOf(index),
  }
  return { wallets: [wallet], wallet_ids: [{ partner_wallet_id, user_id }] }
}

type NewUser = { catalogue: Catalogue; index: number; userId: string; key: DataKey; wrapped: string }

/** Returns the rows of the user; every second one has finished onboarding. */
function userRows(vault: Vault, { catalogue, index, userId, key, wrapped }: NewUser): Rows {
  const { id_proof: _, ...profile } = userInputOf(index)
  const identity = toIdentity(vault, catalogue.platformId, userInputOf(index))
  const onboarding = { title: 'MS', bank_details: { account_number: '001234567890', ifsc_code: 'HDFC0000001' } }
  const isOnboarded = index % 2 === 0
  const phone_hash = bytea(identity.phoneHash)
  const id_proof_hash = bytea(identity.idProofHash as Buffer)
  const user = {
    user_id: userId,
    platform_id: catalogue.platformId,
    data_key: wrapped,
    sealed: USER_PROFILE.seal(key, { id: userId }, { ...profile, ...(isOnboarded && onboarding) }),
    profile_digest: bytea(vault.digest('profile', { ...profile, id_proof: identity.idProofHash?.toString('base64') })),
    phone_hash,
    id_proof_hash,
    id_proof_last4: identity.idProofLast4,
    onboarded_at: isOnboarded ? `${START}T09:00:00Z` : null,
    created_at: timeOf(index),
  }
  const ofUser = { user_id: userId }
  return { users: [user], user_phones: [{ phone_hash, ...ofUser }], user_id_proofs: [{ id_proof_hash, ...ofUser }] }
}

function dependantRow(vault: Vault, { userId, key }: { userId: string; key: DataKey }, position: number) {
  const input = { first_name: pick(FIRST_NAMES, position + 1), last_name: 'Example', date_of_birth: '2015-08-02' }
  const dependant_id = newId('dep')
  return {
    user_id: userId,
    dependant_id,
    identity_hash: bytea(vault.digest(`dependant:${userId}`, input)),
    sealed: seal(key, `dependants:${userId}:${dependant_id}`, input),
  }
}

/** The first policy covers the whole family, the second the user alone, the third the user and the first dependant. */
function policyRow(
  { index, userId, key, dependantIds }: Family,
  { platformId, benefitIds, benefitProviderId }: Catalogue,
  position: number,
) {
  const policy_id = newId('pol')
  const { annual, daily, sponsor_contribution } = PLAN.premium_amounts
  const sealedData = {
    ...(position === 0 && { questionnaire: { questions: [{ question: 'Do you smoke?', answer: false }] } }),
    ...(position < 2 && { provider_metadata: { branch: 'PUN-04', underwriter: 'standard' } }),
  }
  const dependant_ids = [dependantIds, [], dependantIds.slice(0, 1)][position]
  const at = timeOf(index, position)
  return {
    user_id: userId,
    platform_id: platformId,
    policy_id,
    benefit_id: benefitIds[position],
    benefit_provider_id: benefitProviderId,
    plan_code: PLAN.plan_code,
    status: position < 2 ? 'ISSUED' : 'PENDING',
    dependant_ids,
    issue: position < 2 ? 1 : 0,
    issued_dependant_ids: position < 2 ? dependant_ids : null,
    nominee_dependant_id: dependantIds[0],
    start_date: START,
    end_date: addDays(addMonths(START, PLAN.term_months), -1),
    term_months: PLAN.term_months,
    renewal_window_days: PLAN.renewal_window_days,
    grace_days: PLAN.grace_days,
    currency: annual.currency,
    premium_annual_paise: toPaise(annual.value),
    premium_daily_paise: toPaise(daily.value),
    premium_sponsor_paise: toPaise(sponsor_contribution.value),
    external_policy_id: position < 2 ? `SG-2026-${policy_id.slice(-8)}` : null,
    master_policy_number: position < 2 ? 'MP-77' : null,
    sealed: position < 2 ? seal(key, `insurance_policies:${userId}:${policy_id}`, sealedData) : null,
    created_at: at,
    last_modified_at: at,
  }
}

/** Encodes bytes for a bytea column in jsonb. */
const bytea = (bytes: Buffer) => `\\x${bytes.toString('hex')}`

const pick = <T>(list: readonly T[], index: number) => list[index % list.length] as T
