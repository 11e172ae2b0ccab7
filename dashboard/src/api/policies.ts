import type { PlainDate, PolicyId, UserId } from '@banyan/client'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import type { PolicyState } from './policy-transitions.ts'

const PAGE = 50

export type PolicyFilter = { status: readonly PolicyState[]; due_before?: PlainDate | undefined }
export type PolicyRef = { userId: UserId; id: PolicyId }

/** The policies of all people, by page; `after` is the cursor of one. */
export const policiesQuery = (filter: PolicyFilter, after?: string) =>
  queryOptions({
    queryKey: ['policies', filter, after],
    queryFn: ({ signal }) => banyan.policies.list({ ...filter, after, limit: PAGE }, { signal }),
    placeholderData: keepPreviousData,
  })

export const policyQuery = ({ userId, id }: PolicyRef) =>
  queryOptions({
    queryKey: ['policy', id],
    queryFn: ({ signal }) => banyan.user(userId).policies.read(id, { signal }),
  })

export const policyStatusQuery = ({ userId, id }: PolicyRef) =>
  queryOptions({
    queryKey: ['policy', id, 'status'],
    queryFn: ({ signal }) => banyan.user(userId).policies.readStatus(id, { signal }),
  })

export const timelineQuery = ({ userId, id }: PolicyRef) =>
  infiniteQueryOptions({
    queryKey: ['policy', id, 'timeline'],
    queryFn: ({ signal, pageParam: offset }) =>
      banyan.user(userId).policies.listTimeline(id, { offset, limit: PAGE }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }) => (offset + data.length < total ? offset + data.length : undefined),
  })
