import type { AdministratorId } from '@banyan/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'
import { offsetPage } from './offset-page.ts'

export type AdministratorStatus = 'ACTIVE' | 'DISABLED'

export const administratorsQuery = (status: readonly AdministratorStatus[], after?: string) =>
  queryOptions({
    queryKey: ['administrators', status, after],
    queryFn: ({ signal }) => offsetPage(after, (page) => banyan.administrators.list({ status, ...page }, { signal })),
    placeholderData: keepPreviousData,
  })

/** The newest sessions of one person. */
export const sessionsQuery = (id: AdministratorId) =>
  queryOptions({
    queryKey: ['sessions', id],
    queryFn: async ({ signal }) => (await banyan.administrators.listSessions(id, { limit: 100 }, { signal })).data,
  })
