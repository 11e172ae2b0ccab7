import type { ListAuditLogQuery, ListExposureQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const PAGE = 50
/** The service looks through thousands of entries at a time, of which few may match; after so many times the person decides. */
const SCANS_MAX = 40

/** The audit log, newest first, by page. */
export const auditQuery = ({ after, ...filter }: ListAuditLogQuery) =>
  queryOptions({
    queryKey: ['audit', { after, ...filter }],
    queryFn: ({ signal }) =>
      fillPage(after, (place) => banyan.auditLog.list({ ...filter, ...place, order: 'desc' }, { signal })),
    placeholderData: keepPreviousData,
  })

/** What a credential has read or changed, oldest first, by page. */
export const exposureQuery = ({ after, ...filter }: ListExposureQuery) =>
  queryOptions({
    queryKey: ['exposure', { after, ...filter }],
    queryFn: ({ signal }) => fillPage(after, (place) => banyan.exposure.list({ ...filter, ...place }, { signal })),
    placeholderData: keepPreviousData,
  })

type Place = { after: string | undefined; limit: number }
type Scan<Row> = (place: Place) => PromiseLike<{ data: readonly Row[]; next: string | null; has_more: boolean }>

/** Looks on until the page is full: one that is empty and not the last looks like the end. */
async function fillPage<Row>(from: string | undefined, scan: Scan<Row>) {
  const rows: Row[] = []
  let after = from
  for (let scans = 1; ; scans++) {
    const { data, next, has_more: hasMore } = await scan({ after, limit: PAGE - rows.length })
    rows.push(...data)
    if (!hasMore || next === null) return { data: rows, next: null }
    if (rows.length === PAGE || scans === SCANS_MAX) return { data: rows, next }
    after = next
  }
}
