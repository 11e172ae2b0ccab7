import type {
  AccountId,
  CreditWalletRequest,
  Dependant,
  DependantId,
  Event,
  PolicyId,
  UpdateUserRequest,
  User,
  UserId,
} from '@banyan/client'
import { exportUser, type ListUserWalletTransactionsQuery } from '@banyan/client/operations'
import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query'
import { banyan, connection } from './banyan.ts'

const PAGE = 50
const EVENTS_MAX = 500

/** What is read of a person stands in the access log, so nothing is read again unasked, and nothing is kept. */
export const SEALED = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnReconnect: false,
  // A copy of a record would not know its version.
  structuralSharing: false,
} as const

/** Pages by offset, as lists by cursor have them: the cursor is the offset. */
type Offsets<Row> = { data: readonly Row[]; offset: number; total: number }
export const byOffset = <Row>({ data, offset, total }: Offsets<Row>) => {
  const end = offset + data.length
  return { data, total, next: end < total ? String(end) : null }
}
export const pageAt = (after: string | undefined) => ({ limit: PAGE, offset: Number(after ?? 0) })

/** Entries without an id, numbered for the list. */
const numbered = <Entry>(entries: readonly Entry[]) =>
  entries.map((entry, index) => ({ ...entry, number: String(index) }))
export type Numbered<Entry> = Entry & { number: string }

/** Why somebody looks, and the cursor of the page. */
export type Look = { purpose: string; after?: string | undefined }

const LIFE = [
  'user.created',
  'user.onboarded',
  'user.updated',
  'user.erasure_scheduled',
  'user.erasure_cancelled',
  'user.erased',
] as const

/** What is known of a person without opening the profile: the events of the last 30 days. */
export const lifeQuery = (id: UserId) =>
  queryOptions({
    queryKey: ['person', id, 'life'],
    queryFn: async ({ signal }) =>
      lifeOf(await banyan.events.list({ subject: id, type: LIFE, limit: 100 }, { signal }).all(EVENTS_MAX)),
  })

function lifeOf(events: readonly Event[]) {
  const has = (type: string) => events.some((event) => event.type === type)
  const erasure = events.findLast(({ type }) => type.startsWith('user.erasure_'))
  return {
    platformId: events[0]?.platform_id ?? null,
    createdAt: events.find(({ type }) => type === 'user.created')?.timestamp ?? null,
    changedAt: events.at(-1)?.timestamp ?? null,
    state: has('user.erased')
      ? 'ERASED'
      : erasure?.type === 'user.erasure_scheduled'
        ? 'ERASURE_SCHEDULED'
        : has('user.onboarded')
          ? 'ONBOARDED'
          : has('user.created')
            ? 'NOT_ONBOARDED'
            : null,
  }
}

export const profileQuery = (id: UserId, purpose: string | undefined) =>
  queryOptions({
    queryKey: ['person', id, 'profile'],
    queryFn: ({ signal }) => banyan.user(id).read({ signal, purpose }),
    enabled: purpose !== undefined,
    ...SEALED,
  })

/** The partner's own number of a person. */
export const referenceQuery = (id: UserId, purpose: string | undefined) =>
  queryOptions({
    queryKey: ['person', id, 'reference'],
    queryFn: ({ signal }) => banyan.user(id).readReference({ signal, purpose }),
    enabled: purpose !== undefined,
    ...SEALED,
  })

/** `seen`: the record that was changed, so that nobody else’s change is overwritten. */
export const updateProfile = (
  id: UserId,
  body: UpdateUserRequest,
  { seen, ...options }: { seen: User; purpose: string; signal: AbortSignal },
) => banyan.user(id).update(body, { ifMatch: seen, ...options })

export const dependantsQuery = (id: UserId, { purpose, after }: Look) =>
  queryOptions({
    queryKey: ['person', id, 'dependants', after],
    queryFn: async ({ signal }) => byOffset(await banyan.user(id).dependants.list(pageAt(after), { signal, purpose })),
    ...SEALED,
  })

const DEPENDANTS_MAX = 500

/** All of them, to choose from. */
export const allDependantsQuery = (id: UserId, purpose: string | undefined) =>
  queryOptions({
    queryKey: ['person', id, 'all-dependants'],
    queryFn: ({ signal }) => banyan.user(id).dependants.list({ limit: 100 }, { signal, purpose }).all(DEPENDANTS_MAX),
    enabled: purpose !== undefined,
    ...SEALED,
  })

/** One version of a dependant. */
export const dependantQuery = (id: UserId, version: DependantId, purpose: string) =>
  queryOptions({
    queryKey: ['dependant', version],
    queryFn: ({ signal }) => banyan.user(id).dependants.read(version, { signal, purpose }),
    ...SEALED,
  })

/** The version of a dependant that is listed now, by one that it has replaced; undefined when there is none. */
export async function findNewestVersion(
  id: UserId,
  former: DependantId,
  purpose: string,
): Promise<Dependant | undefined> {
  const { dependants } = banyan.user(id)
  for await (const newest of dependants.list({}, { purpose })) {
    for (let version = newest; version.previous_version_id !== null; ) {
      if (version.previous_version_id === former) return newest
      version = await dependants.read(version.previous_version_id, { purpose })
    }
  }
  return undefined
}

export const personPoliciesQuery = (id: UserId, { purpose, after }: Look) =>
  queryOptions({
    queryKey: ['person', id, 'policies', after],
    queryFn: async ({ signal }) => byOffset(await banyan.user(id).policies.list(pageAt(after), { signal, purpose })),
    ...SEALED,
  })

export const personPolicyStatusQuery = (id: UserId, policy: PolicyId, purpose: string) =>
  queryOptions({
    queryKey: ['policy', policy, 'status'],
    queryFn: ({ signal }) => banyan.user(id).policies.readStatus(policy, { signal, purpose }),
  })

export const personAccountsQuery = (id: UserId, after?: string) =>
  queryOptions({
    queryKey: ['person', id, 'accounts', after],
    queryFn: async ({ signal }) => byOffset(await banyan.user(id).accounts.list(pageAt(after), { signal })),
  })

export const accountStatusQuery = (id: UserId, account: AccountId) =>
  queryOptions({
    queryKey: ['account', account, 'status'],
    queryFn: ({ signal }) => banyan.user(id).accounts.readStatus(account, { signal }),
  })

export const walletQuery = (id: UserId) =>
  queryOptions({
    queryKey: ['person', id, 'wallet'],
    queryFn: ({ signal }) => banyan.user(id).wallet.read({ signal }),
  })

type Period = { days: Pick<ListUserWalletTransactionsQuery, 'from' | 'to'> }

export const ledgerQuery = (id: UserId, { purpose, after, days }: Look & Period) =>
  queryOptions({
    queryKey: ['person', id, 'ledger', days, after],
    queryFn: async ({ signal }) =>
      byOffset(await banyan.user(id).wallet.listTransactions({ ...days, ...pageAt(after) }, { signal, purpose })),
    ...SEALED,
    placeholderData: keepPreviousData,
  })

/** Every member has to be said, the optional ones too: a form that knows one of them less does not compile. */
type Booking = { type: 'CREDIT' | 'DEBIT' } & {
  [Member in keyof Required<CreditWalletRequest>]: CreditWalletRequest[Member]
}

export function bookOnWallet(id: UserId, { type, amount, ...body }: Booking, options: { signal: AbortSignal }) {
  const { wallet } = banyan.user(id)
  return type === 'CREDIT' ? wallet.credit(amount, body, options) : wallet.debit(amount, body, options)
}

export const personConsultationsQuery = (id: UserId, after?: string) =>
  queryOptions({
    queryKey: ['person', id, 'consultations', after],
    queryFn: async ({ signal }) => byOffset(await banyan.user(id).consultations.list(pageAt(after), { signal })),
  })

export const codesQuery = (id: UserId, { purpose, after }: Look) =>
  queryOptions({
    queryKey: ['person', id, 'codes', after],
    queryFn: async ({ signal }) => {
      const page = await banyan.user(id).oneTimeCodes.list(pageAt(after), { signal, purpose })
      return byOffset({ ...page, data: numbered(page.data) })
    },
    ...SEALED,
  })

export const accessLogQuery = (id: UserId, after?: string) =>
  queryOptions({
    queryKey: ['person', id, 'access', after],
    queryFn: async ({ signal }) => {
      const { data, next, has_more } = await banyan.user(id).listAccessLog({ limit: PAGE, after }, { signal })
      return { data: numbered(data), next: has_more ? next : null }
    },
  })

/** Everything that is stored about a person, as the service writes it. */
export async function exportOf(id: UserId, purpose: string): Promise<Blob> {
  const record = await connection.call({ ...exportUser, returns: 'json' }, { path: { user_id: id } }, { purpose })
  return new Blob([JSON.stringify(record, null, 2)], { type: 'application/json' })
}

/** What an erasure would do now, or will do when it is scheduled. */
export const erasureQuery = (id: UserId) =>
  queryOptions({
    queryKey: ['person', id, 'erasure'],
    queryFn: ({ signal }) => banyan.user(id).previewErasure({ signal }),
  })

type Erasing = { endsPolicies: boolean; signal: AbortSignal }

export const eraseUser = (id: UserId, { endsPolicies, signal }: Erasing) =>
  banyan.user(id).erase(endsPolicies ? { end_policies: 'true' } : {}, { signal })

export const cancelErasure = (id: UserId) => banyan.user(id).cancelErasure()

/** Has the state of a person and of their erasure read again. */
export const refreshErasure = (queries: QueryClient, id: UserId) =>
  Promise.all(['life', 'erasure'].map((what) => queries.invalidateQueries({ queryKey: ['person', id, what] })))
