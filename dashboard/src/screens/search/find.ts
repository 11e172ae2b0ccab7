import type { Event } from '@banyan/client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { banyan } from '../../api/banyan.ts'
import type { Terms } from './terms.ts'

const PAGE = 50
/** In memory only, and read again only when it is searched again: what is found stands in the audit. */
const KEPT = { staleTime: Number.POSITIVE_INFINITY, refetchOnReconnect: false } as const

type Phone = NonNullable<Terms['phone']>

export const peopleQuery = (by: Phone | { id_proof: { number: string } } | { employee_number: string }) =>
  infiniteQueryOptions({
    queryKey: ['search', 'people', by],
    queryFn: ({ signal, pageParam: offset }) => banyan.users.search(by, { offset, limit: PAGE }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }) => (offset + data.length < total ? offset + data.length : undefined),
    ...KEPT,
  })

export const foundPoliciesQuery = (by: { policy_number: string } | { master_policy_number: string }) =>
  infiniteQueryOptions({
    queryKey: ['search', 'policies', by],
    queryFn: ({ signal, pageParam: after }) => banyan.policies.search(by, { after, limit: PAGE }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    ...KEPT,
  })

/** The last event of a record that has no address of its own: it says whose it is. */
export const lastEventQuery = (subject: string) =>
  queryOptions({
    queryKey: ['search', 'event', subject],
    queryFn: async ({ signal }): Promise<Event | null> =>
      (await banyan.events.list({ subject, limit: 1 }, { signal })).data[0] ?? null,
  })
