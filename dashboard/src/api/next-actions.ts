import type { UserId } from '@banyan/client'
import type { ListNextActionsQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

/** What waits of all people, the earliest due day first: so many of it. */
export const nextActionsQuery = (filter: ListNextActionsQuery, limit: number) =>
  queryOptions({
    queryKey: ['next-actions', filter, limit],
    queryFn: ({ signal }) => banyan.nextActions.list({ ...filter, limit }, { signal }),
    placeholderData: keepPreviousData,
  })

export const personNextActionsQuery = (id: UserId) =>
  queryOptions({
    queryKey: ['person', id, 'next-actions'],
    queryFn: ({ signal }) => banyan.user(id).nextActions.list({ signal }),
  })
