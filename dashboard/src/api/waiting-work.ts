import type { ListedInsurancePolicy, Statistics } from '@banyan/client'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { WAITING_ENDORSEMENTS } from './endorsements.ts'
import { statisticsQuery } from './statistics.ts'
import { failingEndpointsQuery } from './failing-webhooks.ts'
import type { PolicyState } from './policy-transitions.ts'
import { ADMINISTRATORS, type Role, ROLES, WRITERS } from './roles.ts'

/** Up to this number the list itself is counted, which is right at this moment; beyond it the service's own count, a minute old at most. */
const READ = 100

/** What waits in a list: how many, and since when the first of them does. `isMore`: nobody has counted them yet. */
export type Waiting = { count: number; isMore: boolean; oldest: Date | undefined }

type Page = { since: readonly Date[]; next: string | null }
type Options = { signal: AbortSignal }
type Read = (options: Options, client: QueryClient) => Promise<Page>
type Counted = Statistics['waiting'][number]
/** How a list is read, what waits longest first, and which counts of the service are of it. */
type Work = { read: Read; isCounted: (entry: Counted) => boolean }

export type WaitingWork = {
  name: WorkName
  title: string
  who: readonly Role[]
  /** Somebody else acts next; otherwise the person who looks. */
  isForCustomer?: true
}
export type WorkName =
  | 'applications'
  | 'sent-back'
  | 'reissues'
  | 'endorsements'
  | 'renewals'
  | 'grace'
  | 'consultations'
  | 'wallets'
  | 'accounts'
  | 'webhooks'

const SUPPORT = ['platform', ...ADMINISTRATORS] as const

/** The kinds of work, in the order in which people wait for it. */
export const WAITING_WORK: readonly WaitingWork[] = [
  { name: 'consultations', title: 'Consultations', who: ['benefit_provider', 'platform', 'owner'] },
  { name: 'applications', title: 'Applications', who: ROLES },
  { name: 'sent-back', title: 'Sent back', who: SUPPORT },
  { name: 'reissues', title: 'Reissues', who: ROLES },
  { name: 'endorsements', title: 'Endorsements', who: ROLES },
  { name: 'grace', title: 'In grace', who: ROLES, isForCustomer: true },
  { name: 'renewals', title: 'Renewals', who: ROLES, isForCustomer: true },
  { name: 'wallets', title: 'Failed wallets', who: SUPPORT },
  { name: 'accounts', title: 'Pending accounts', who: SUPPORT },
  { name: 'webhooks', title: 'Failing webhooks', who: WRITERS },
]

const pageOf = async <Row>(
  reading: PromiseLike<{ data: readonly Row[]; next: string | null }>,
  sinceOf: (row: Row) => Date,
): Promise<Page> => {
  const { data, next } = await reading
  return { since: data.map(sinceOf), next }
}

const OLDEST = { order: 'oldest', limit: READ } as const
const sinceOfPolicy = ({ status_since, created_at }: ListedInsurancePolicy) => status_since ?? created_at

const ofPolicies = (...status: PolicyState[]): Work => ({
  read: (options) => pageOf(banyan.policies.list({ status, ...OLDEST }, options), sinceOfPolicy),
  isCounted: (entry) => entry.list === 'insurance_policies' && status.some((one) => one === entry.status),
})

const WORK: Readonly<Record<WorkName, Work>> = {
  applications: ofPolicies('PENDING', 'VERIFICATION', 'APPROVED'),
  'sent-back': {
    read: (options) => pageOf(banyan.policies.list({ sent_back: 'true', limit: READ }, options), sinceOfPolicy),
    isCounted: ({ list }) => list === 'sent_back',
  },
  reissues: ofPolicies('REQUIRES_POLICY_REISSUANCE'),
  endorsements: {
    read: (options) =>
      pageOf(banyan.endorsements.list({ ...WAITING_ENDORSEMENTS, limit: READ }, options), (row) => row.created_at),
    isCounted: () => false,
  },
  renewals: ofPolicies('REQUIRES_CUSTOMER_RENEWAL'),
  grace: ofPolicies('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'),
  consultations: {
    read: (options) =>
      pageOf(
        banyan.consultations.list({ unanswered_by: 'provider', ...OLDEST }, options),
        ({ last_message_at, created_at }) => last_message_at ?? created_at,
      ),
    isCounted: ({ list }) => list === 'consultations',
  },
  wallets: {
    read: (options) =>
      pageOf(banyan.wallets.list({ wallet_status: ['FAILED'], ...OLDEST }, options), (row) => row.last_modified_at),
    isCounted: ({ list, status }) => list === 'wallets' && status === 'FAILED',
  },
  accounts: {
    read: (options) =>
      pageOf(banyan.accounts.list({ status: ['PENDING'], ...OLDEST }, options), (row) => row.last_modified_at),
    isCounted: ({ list }) => list === 'accounts',
  },
  webhooks: {
    read: async (_options, client) => {
      const { data, total } = await client.fetchQuery(failingEndpointsQuery)
      const since = data.map((one) => one.first_failure_at ?? one.last_modified_at)
      return { since, next: total > data.length ? 'more' : null }
    },
    isCounted: () => false,
  },
}

const REFRESH_MS = 60_000
/** One reading serves all kinds of work. */
const STATISTICS_MS = 10_000

export const waitingQuery = (name: WorkName) =>
  queryOptions({
    queryKey: ['waiting', name],
    queryFn: async ({ signal, client }): Promise<Waiting> => {
      const { read, isCounted } = WORK[name]
      const { since, next } = await read({ signal }, client)
      const times = since.map((at) => at.getTime())
      const oldest = times.length > 0 ? new Date(Math.min(...times)) : undefined
      if (next === null) return { count: since.length, isMore: false, oldest }
      const { waiting } = await client.fetchQuery({ ...statisticsQuery, staleTime: STATISTICS_MS })
      const counted = waiting.filter(isCounted).reduce((sum, { count }) => sum + count, 0)
      return { count: Math.max(counted, since.length), isMore: counted <= since.length, oldest }
    },
    refetchInterval: REFRESH_MS,
  })
