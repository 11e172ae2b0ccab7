import { forEachWord } from '../../../kernel/for-each-word.ts'
import { Type } from 'typebox'
import { Nullable, OneOf, record, Timestamp } from '../../../kernel/http/schemas.ts'
import type { WireTime } from '../../../kernel/db/database.ts'
import { ENDORSEMENT_STATES } from '../../cover/endorsements/index.ts'
import { POLICY_STATUSES, WAITING_STATUSES } from '../../cover/policies/index.ts'
import { ACCOUNT_STATUSES } from '../../money/accounts/index.ts'
import { WALLET_STATUSES } from '../../money/wallets/index.ts'

/** The owner of the counts of the whole installation; others are platforms, or benefit providers for their deliveries. */
export const EVERYTHING = ''

const USER_STATES = ['ONBOARDED', 'NOT_ONBOARDED'] as const

/** What is counted by state, with every state. */
export const STATES = {
  insurance_policies: POLICY_STATUSES,
  endorsements: ENDORSEMENT_STATES,
  accounts: ACCOUNT_STATUSES,
  wallets: WALLET_STATUSES,
  users: USER_STATES,
} as const

/** The lists of what waits, and the states in which it does. */
export const WAITING_IN: Record<WaitingList, readonly string[]> = {
  insurance_policies: WAITING_STATUSES,
  sent_back: ['PENDING'],
  consultations: ['OPEN'],
  accounts: ['PENDING'],
  wallets: ['PENDING', 'IN_PROGRESS', 'RETRYING', 'FAILED'],
}
const WAITING_LISTS = ['insurance_policies', 'sent_back', 'consultations', 'accounts', 'wallets'] as const
export type WaitingList = (typeof WAITING_LISTS)[number]
export type WaitingEntry = { list: WaitingList; status: string; count: number; since: WireTime }

export type Counted = keyof typeof STATES
/** What is counted while it waits. */
export type Waiting = 'events_waiting' | 'webhook_deliveries_waiting'
type ByState = { [Name in Counted]: Record<(typeof STATES)[Name][number], number> }
export type Counts = ByState & Record<Waiting, number> & { waiting: WaitingEntry[] }

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const byState = <const Values extends readonly string[]>(values: Values, description: string) =>
  Type.Object(
    forEachWord(values, (word) => Count(`How many are ${word}`)),
    { description },
  )

const NOTHING = <const Values extends readonly string[]>(values: Values) => forEachWord(values, () => 0)

/** With 0 for what was not found. */
export const allCounts = (counts: Partial<Counts>): Counts => ({
  insurance_policies: { ...NOTHING(STATES.insurance_policies), ...counts.insurance_policies },
  endorsements: { ...NOTHING(STATES.endorsements), ...counts.endorsements },
  accounts: { ...NOTHING(STATES.accounts), ...counts.accounts },
  wallets: { ...NOTHING(STATES.wallets), ...counts.wallets },
  users: { ...NOTHING(STATES.users), ...counts.users },
  events_waiting: counts.events_waiting ?? 0,
  webhook_deliveries_waiting: counts.webhook_deliveries_waiting ?? 0,
  waiting: counts.waiting ?? [],
})

export const StatisticsRecord = record(
  'Statistics',
  {
    as_of: Nullable(Timestamp('Time of counting; `null` until a worker has counted')),
    insurance_policies: byState(
      STATES.insurance_policies,
      'Insurance policies by status, ended ones of erased people too',
    ),
    endorsements: byState(STATES.endorsements, 'Endorsements by state'),
    accounts: byState(STATES.accounts, 'Accounts by status'),
    wallets: byState(STATES.wallets, 'Wallets by provisioning status'),
    users: byState(STATES.users, 'Users who have completed onboarding, and who have not'),
    events_waiting: Count('Events that have not been handed to webhook endpoints yet, counted up to 10,000'),
    webhook_deliveries_waiting: Count('Deliveries to be sent, or sent again'),
    waiting: Type.Array(
      Type.Object(
        {
          list: OneOf(WAITING_LISTS, {
            description:
              'The list that it is in: `sent_back` holds the applications that wait for the platform, `consultations` those that wait for a response of the benefit provider',
          }),
          status: Type.String({ description: 'The state in which it waits' }),
          count: Type.Integer({ minimum: 1, description: 'How many wait' }),
          since: Timestamp('Since when the one that has waited longest waits'),
        },
        {
          title: 'WaitingCount',
          description: 'What waits in a state',
          examples: [{ list: 'insurance_policies', status: 'PENDING', count: 3, since: '2026-03-28T10:00:00' }],
        },
      ),
      { description: 'What waits, and since when the first of it does. What nobody waits for is left out' },
    ),
    events_by_hour: Type.Array(
      Type.Object(
        { since: Timestamp('Beginning of an hour in India: half past in UTC'), events: Count('How many events') },
        {
          title: 'EventsOfHour',
          description: 'Events of an hour',
          examples: [{ since: '2026-04-01T08:30:00', events: 12 }],
        },
      ),
      {
        description:
          'Events of the last 24 hours, oldest first; the last hour is the one of `as_of`. After an upgrade from a version without these counts, they are complete within minutes',
      },
    ),
  },
  {
    description: 'Counts by state, at most a minute old',
    examples: [
      {
        as_of: '2026-04-01T09:30:00',
        ...allCounts({
          users: { ONBOARDED: 120, NOT_ONBOARDED: 4 },
          waiting: [{ list: 'insurance_policies', status: 'PENDING', count: 3, since: '2026-03-28T10:00:00' }],
        }),
        events_by_hour: [
          { since: '2026-04-01T08:30:00', events: 7 },
          { since: '2026-04-01T09:30:00', events: 12 },
        ],
      },
    ],
  },
)

export const tags = ['Statistics']
