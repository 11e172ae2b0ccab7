import type { ListAuditLogQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const PAGE = 50

/** The audit log, newest first, by page. */
export const auditQuery = (filter: ListAuditLogQuery) =>
  queryOptions({
    queryKey: ['audit', filter],
    queryFn: async ({ signal }) => {
      const { data, next, has_more } = await banyan.auditLog.list({ ...filter, order: 'desc', limit: PAGE }, { signal })
      return { data, next: has_more ? next : null }
    },
    placeholderData: keepPreviousData,
  })
