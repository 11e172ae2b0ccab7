import type { AuditEntry } from '@banyan/client'
import type { ListAuditLogQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const PAGE = 50
/** The service looks through a thousand entries at a time, of which few may match; after so many times the person decides. */
const SCANS_MAX = 40

/** The audit log, newest first, by page. */
export const auditQuery = (filter: ListAuditLogQuery) =>
  queryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ signal }) => readPage(filter, signal),
    placeholderData: keepPreviousData,
  })

/** Looks on until the page is full: one that is empty and not the last looks like the end. */
async function readPage({ after, ...filter }: ListAuditLogQuery, signal: AbortSignal) {
  const entries: AuditEntry[] = []
  let cursor = after
  for (let scans = 1; ; scans++) {
    const query = { ...filter, after: cursor, order: 'desc', limit: PAGE - entries.length } as const
    const { data, next, has_more: hasMore } = await banyan.auditLog.list(query, { signal })
    entries.push(...data)
    if (!hasMore || next === null) return { data: entries, next: null }
    if (entries.length === PAGE || scans === SCANS_MAX) return { data: entries, next }
    cursor = next
  }
}
