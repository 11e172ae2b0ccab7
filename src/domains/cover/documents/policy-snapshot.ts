import type { Static } from 'typebox'
import type { Day } from '../../../kernel/date.ts'
import type { Currency, Paise } from '../../../kernel/money.ts'
import type { StructuredAddress } from '../../address.ts'
import type { Profile } from '../../people/users/index.ts'

type Person = { first_name: string | null; last_name: string | null }

/**
 * The data of a policy's documents at its enrolment or issue. Stored sealed and never changed. New fields must be
 * optional, because older snapshots do not have them.
 */
export type PolicySnapshot = {
  issue: number
  /** By the policy calendar. */
  made_on: Day
  external_policy_id: string | null
  master_policy_number: string | null
  benefit_name: string
  plan_code: string
  plan_name?: string
  provider_name: string
  provider_address?: Static<typeof StructuredAddress>
  provider_colour?: string
  sponsor_name: string
  start_date: Day
  end_date: Day
  /** Only where cover began later than the term: on the day on which the deposit held the premium. */
  cover_from?: Day
  term_months: number
  /** The first term ends earlier than the plan's. */
  is_short_term?: true
  renewal_window_days: number
  grace_days: number
  /** Only where the days of grace are not covered. */
  grace_cover?: 'NONE'
  /** An issue that endorsements made, not a transition. */
  is_endorsed?: true
  premium: { currency: Currency; annual: Paise; daily: Paise; sponsor: Paise }
  member: Person & { title: string | null; gender: string | null; dob: Day | null }
  /** With the first and last day of those who are not on it for the whole term; who returns is there twice. */
  dependants: (Person & { id: string; date_of_birth: Day; from?: Day; to?: Day })[]
  nominee: Person | null
  /** Enrolment only; no other document needs it. */
  application?: {
    phone: string
    email: string | null
    address: NonNullable<Profile['address']> | null
    questions: { question: string; answer: boolean }[]
  }
}
