import type {
  AdministratorId,
  InsurancePolicyEnd,
  PlainDate,
  PolicyId,
  SetInsurancePolicyEndRequest,
  UserId,
} from '@banyan/client'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import type { PolicyState } from './policy-transitions.ts'
import { type UnseenCorrection, unseenCorrections } from './unseen-corrections.ts'

const PAGE = 50

/** One's own work, what nobody has taken up, or that of a colleague. */
export type AssigneeFilter = 'me' | 'none' | AdministratorId

export type PolicyFilter = {
  status: readonly PolicyState[]
  due_before?: PlainDate
  order?: 'oldest'
  sent_back?: 'true'
  assignee?: AssigneeFilter
}
export type PolicyRef = { userId: UserId; id: PolicyId }

/** The policies of all people, by page; `after` is the cursor of one. */
export const policiesQuery = (filter: PolicyFilter, after?: string) =>
  queryOptions({
    queryKey: ['policies', filter, after],
    queryFn: ({ signal }) => readPolicies(filter, { after, signal }),
    placeholderData: keepPreviousData,
  })

export const readPolicies = (
  filter: PolicyFilter,
  { after, signal }: { after?: string | undefined; signal: AbortSignal },
) => banyan.policies.list({ ...filter, after, limit: PAGE }, { signal })

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

/** Who works on it. */
export const assigneeQuery = ({ userId, id }: PolicyRef) =>
  queryOptions({
    queryKey: ['policy', id, 'assignee'],
    queryFn: ({ signal }) => readAssignee({ userId, id }, signal),
  })

export const readAssignee = ({ userId, id }: PolicyRef, signal?: AbortSignal) =>
  banyan.user(userId).policies.readAssignee(id, signal ? { signal } : {})

type Assignment = {
  /** Without it, oneself. */
  to?: AdministratorId | undefined
  /** From who works on it now, too. */
  takesOver: boolean
}

export const assignPolicy = ({ userId, id }: PolicyRef, { to, takesOver }: Assignment) =>
  banyan.user(userId).policies.assign(id, { administrator_id: to, ...(takesOver && { take_over: true }) })

/** On which day it ends before its term. */
export const endQuery = ({ userId, id }: PolicyRef) =>
  queryOptions({
    queryKey: ['policy', id, 'end'],
    queryFn: ({ signal }) => banyan.user(userId).policies.readEnd(id, { signal }),
  })

type EndChange = { ifMatch: InsurancePolicyEnd; signal: AbortSignal }

export const setEnd = ({ userId, id }: PolicyRef, body: SetInsurancePolicyEndRequest, change: EndChange) =>
  banyan.user(userId).policies.setEnd(id, body, change)

export const withdrawEnd = ({ userId, id }: PolicyRef, change: EndChange) =>
  banyan.user(userId).policies.withdrawEnd(id, change)

export const releasePolicy = ({ userId, id }: PolicyRef) => banyan.user(userId).policies.release(id)

const TIMELINE_READ_MAX = 500

/** Reads again who was corrected since people last made a transition. */
export async function readUnseenCorrections({ userId, id }: PolicyRef): Promise<UnseenCorrection[]> {
  const { policies } = banyan.user(userId)
  const [people, timeline] = await Promise.all([
    policies.read(id),
    policies.listTimeline(id, { limit: 100 }).all(TIMELINE_READ_MAX),
  ])
  return unseenCorrections(timeline, people)
}

export const timelineQuery = ({ userId, id }: PolicyRef) =>
  infiniteQueryOptions({
    queryKey: ['policy', id, 'timeline'],
    queryFn: ({ signal, pageParam: offset }) =>
      banyan.user(userId).policies.listTimeline(id, { offset, limit: PAGE }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, data, total }) => (offset + data.length < total ? offset + data.length : undefined),
  })

/** The terms of a policy with their issues, the first one first. */
export const termsQuery = ({ userId, id }: PolicyRef) =>
  queryOptions({
    queryKey: ['policy', id, 'terms'],
    queryFn: async ({ signal }) => (await banyan.user(userId).policies.listTerms(id, { signal })).data,
  })
