import type { Vault } from './vault.ts'

type Name = { first_name?: string; last_name?: string }
type Sealed = { questionnaire?: object; provider_metadata?: object }

/** Every value but those of the user is null where the user has no policy. */
export type PolicyRow = Record<'data_key' | 'user_sealed', string> &
  Record<'policy_id' | 'benefit_id' | 'benefit_name' | 'plan_code' | 'currency' | 'start_date' | 'end_date', string> &
  Record<'premium_annual_paise' | 'premium_daily_paise' | 'premium_sponsor_paise', number> &
  Record<'nominee_dependant_id' | 'external_policy_id' | 'master_policy_number' | 'sealed', string | null> &
  Record<'created_at' | 'last_modified_at', string> & {
    dependant_ids: string[]
    issued_dependant_ids: string[] | null
    covered: Record<string, string> | null
  }

/** `2026-04-01 09:30:00+00` as it is on the wire. */
const wireTime = (time: string) => `${time.slice(0, 10)}T${time.slice(11, 19)}`

/** Presents the policies of a user; opens every sealed value once. */
export function presentPolicies(rows: PolicyRow[], vault: Vault, userId: string) {
  const [first] = rows
  if (!first || first.policy_id === null) return []
  const key = vault.unwrap(first.data_key)
  const nameIn = (row: string, sealed: string) => {
    const { first_name = null, last_name = null } = vault.unseal<Name>(key, row, sealed)
    return { first_name, last_name }
  }
  const primary_member = { id: userId, ...nameIn(`users:${userId}`, first.user_sealed) }
  const dependants = new Map<string, object>()
  const dependantOf = (id: string, sealed: string) => {
    const known = dependants.get(id) ?? { id, ...nameIn(`dependants:${userId}:${id}`, sealed) }
    dependants.set(id, known)
    return known
  }
  return rows.map((row) => {
    const { policy_id: id, currency, nominee_dependant_id } = row
    const own: Sealed = row.sealed === null ? {} : vault.unseal(key, `insurance_policies:${userId}:${id}`, row.sealed)
    const money = (paise: number) => ({ currency, value: paise / 100 })
    return {
      id,
      benefit_id: row.benefit_id,
      benefit_name: row.benefit_name,
      plan_code: row.plan_code,
      primary_user_id: userId,
      primary_member,
      dependant_ids: row.dependant_ids,
      dependants: row.dependant_ids.map((one) => dependantOf(one, row.covered?.[one] as string)),
      documents: documentUrls(userId, row),
      premium_amounts: {
        annual: money(row.premium_annual_paise),
        daily: money(row.premium_daily_paise),
        sponsor_contribution: money(row.premium_sponsor_paise),
      },
      questionnaire: own.questionnaire ?? null,
      start_date: row.start_date,
      end_date: row.end_date,
      external_policy_id: row.external_policy_id,
      master_policy_number: row.master_policy_number,
      metadata: { provider_metadata: own.provider_metadata ?? null },
      nominee_details:
        nominee_dependant_id === null ? null : { nominee_type: 'DEPENDANT', dependant_id: nominee_dependant_id },
      created_at: wireTime(row.created_at),
      last_modified_at: wireTime(row.last_modified_at),
    }
  })
}

function documentUrls(userId: string, { policy_id, issued_dependant_ids: issued }: PolicyRow) {
  const url = (type: string) => `/v1/users/${userId}/insurance_policies/${policy_id}/documents/${type}`
  const health_cards: Record<string, string> = {}
  if (issued) for (const member of ['self', ...issued]) health_cards[member] = url(`health_card/${member}`)
  return {
    health_cards,
    customer_information_sheet: issued && url('customer_information_sheet'),
    enrollment_form: url('enrollment_form'),
    policy_certificate: issued && url('policy_certificate'),
  }
}
