import type { AuditEntry, ListedInsurancePolicy } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

const PAGE = 100
/** A day's work; what is beyond it is in the audit. */
const ENTRIES_MAX = 1_000
const REFRESH_MS = 60_000
/** What is done at once is not at one time in the list and the audit. */
const SAME_MOMENT_MS = 2_000

/** What the person has changed since a time, newest first. */
async function readOwnChanges(since: Date, signal: AbortSignal): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for (let after: string | undefined; ; ) {
    const query = { actor: 'me', action: ['change'], order: 'desc', limit: PAGE, after } as const
    const { data, next, has_more } = await banyan.auditLog.list(query, { signal })
    entries.push(...data.filter(({ at }) => at >= since))
    const isOver = data.some(({ at }) => at < since)
    if (isOver || !has_more || next === null || entries.length >= ENTRIES_MAX) return entries
    after = next
  }
}

export const ownChangesQuery = (since: Date) =>
  queryOptions({
    queryKey: ['my-day', 'changes', since.getTime()],
    queryFn: ({ signal }) => readOwnChanges(since, signal),
    refetchInterval: REFRESH_MS,
  })

/** Policies that wait and that somebody else has changed after the person did, since a time. */
export const cameBackQuery = (since: Date) =>
  queryOptions({
    queryKey: ['my-day', 'came-back', since.getTime()],
    queryFn: async ({ signal, client }): Promise<ListedInsurancePolicy[]> => {
      const own = await client.fetchQuery(ownChangesQuery(since))
      const lastOf = new Map<string, Date>()
      for (const { subject, at } of own) if (subject !== null && !lastOf.has(subject)) lastOf.set(subject, at)
      if (![...lastOf.keys()].some((id) => id.startsWith('pol_'))) return []
      const { data } = await banyan.policies.list(
        { ...WAITING, changed_after: since.toISOString(), limit: PAGE },
        { signal },
      )
      return data.filter(({ id, last_modified_at: at }) => {
        const mine = lastOf.get(id)
        return mine !== undefined && at.getTime() > mine.getTime() + SAME_MOMENT_MS
      })
    },
    refetchInterval: REFRESH_MS,
  })

const WAITING = { status: ['PENDING', 'VERIFICATION', 'APPROVED', 'REQUIRES_POLICY_REISSUANCE'] } as const
