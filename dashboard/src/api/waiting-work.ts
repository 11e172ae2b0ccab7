import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { failingEndpointsQuery } from './failing-webhooks.ts'
import type { PolicyState } from './policy-transitions.ts'
import { ADMINISTRATORS, type Role, ROLES, WRITERS } from './roles.ts'

const COUNTED = 100

/** What waits in a list: how many, and since when the first of them does. */
export type Waiting = { count: number; isMore: boolean; oldest: Date | undefined }

type Entry = { last_modified_at: Date }
type Page = { data: readonly Entry[]; next: string | null }
type Options = { signal: AbortSignal }
type Read = (options: Options, client: QueryClient) => PromiseLike<Page>

export type WaitingWork = { name: WorkName; title: string; who: readonly Role[] }
export type WorkName =
  | 'applications'
  | 'reissues'
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
  { name: 'reissues', title: 'Reissues', who: ROLES },
  { name: 'grace', title: 'In grace', who: ROLES },
  { name: 'renewals', title: 'Renewals', who: ROLES },
  { name: 'wallets', title: 'Failed wallets', who: SUPPORT },
  { name: 'accounts', title: 'Pending accounts', who: SUPPORT },
  { name: 'webhooks', title: 'Failing webhooks', who: WRITERS },
]

const ofPolicies =
  (...status: PolicyState[]): Read =>
  (options) =>
    banyan.policies.list({ status, limit: COUNTED }, options)

const READS: Readonly<Record<WorkName, Read>> = {
  applications: ofPolicies('PENDING', 'VERIFICATION', 'APPROVED'),
  reissues: ofPolicies('REQUIRES_POLICY_REISSUANCE'),
  renewals: ofPolicies('REQUIRES_CUSTOMER_RENEWAL'),
  grace: ofPolicies('REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'),
  consultations: (options) => banyan.consultations.list({ unanswered_by: 'provider', limit: COUNTED }, options),
  wallets: (options) => banyan.wallets.list({ wallet_status: ['FAILED'], limit: COUNTED }, options),
  accounts: (options) => banyan.accounts.list({ status: ['PENDING'], limit: COUNTED }, options),
  webhooks: async (_options, client) => {
    const { data, total } = await client.fetchQuery(failingEndpointsQuery)
    const entries = data.map((one) => ({ last_modified_at: one.first_failure_at ?? one.last_modified_at }))
    return { data: entries, next: total > data.length ? 'more' : null }
  },
}

const REFRESH_MS = 60_000

export const waitingQuery = (name: WorkName) =>
  queryOptions({
    queryKey: ['waiting', name],
    queryFn: async ({ signal, client }): Promise<Waiting> => {
      const { data, next } = await READS[name]({ signal }, client)
      const times = data.map(({ last_modified_at: at }) => at.getTime())
      const oldest = next === null && times.length > 0 ? new Date(Math.min(...times)) : undefined
      return { count: data.length, isMore: next !== null, oldest }
    },
    refetchInterval: REFRESH_MS,
  })
