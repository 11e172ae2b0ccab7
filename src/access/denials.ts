import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Queryable, statement, type Tx } from '../kernel/db/database.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import { describe } from '../kernel/http/problems.ts'
import type { Log } from '../kernel/log.ts'
import { TOKEN_SECONDS_MAX } from './tokens.ts'

/** Every node knows of a revocation within a second; two tries fit into it. */
const POLL_INTERVAL_MS = 400
/** A transaction can commit this much after its row took its number, so this much is read again each time. */
const OVERLAP_SECONDS = 30

type Change = { seq: number; subject: string; denied: boolean }

const SINCE = statement(
  'access_changes_since',
  `select seq, subject, denied
     from access_changes
    where at > now() - $1 * interval '1 second'
    order by seq`,
)

const ADD = statement('access_changes_add', 'insert into access_changes (subject, denied) values ($1, $2)')

const FORGET = statement(
  'access_changes_forget',
  purgeText({ table: 'access_changes', key: 'seq', condition: `at < now() - $1 * interval '1 second'` }),
)

export type Denials = ReturnType<typeof openDenials>

/**
 * Who is cut off although tokens issued earlier have not expired: revoked credentials, disabled platforms, erased users.
 * Kept in memory by every node and brought up to date from one small table, so a request pays a set look-up.
 */
export function openDenials(db: Database, log: Log) {
  const denied = new Map<string, number>() // until when it matters, the soonest first
  const ending = new AbortController()
  let polling: Promise<void> = Promise.resolve()
  let refreshedAt = performance.now() - TOKEN_SECONDS_MAX * 1000 // at the start: all that a living token can depend on

  async function refresh(): Promise<void> {
    const startedAt = performance.now()
    const seconds = (startedAt - refreshedAt) / 1000 + OVERLAP_SECONDS
    for (const change of await db.query<Change>(SINCE, [seconds])) {
      denied.delete(change.subject)
      if (change.denied) denied.set(change.subject, startedAt + (TOKEN_SECONDS_MAX + OVERLAP_SECONDS) * 1000)
    }
    for (const [subject, until] of denied) {
      if (until > startedAt) break
      denied.delete(subject) // the last token it could cut off has expired; no new one is issued
    }
    refreshedAt = startedAt
  }

  async function poll(): Promise<void> {
    while (!ending.signal.aborted) {
      await refresh().catch((error: unknown) => log.warn({ error: describe(error) }, 'denials not refreshed'))
      await sleep(POLL_INTERVAL_MS, undefined, { signal: ending.signal }).catch(() => {})
    }
  }

  return {
    /** Loads all that can still matter, then follows the changes until `stop`. */
    async start(): Promise<void> {
      await refresh()
      polling = poll()
    },
    async stop(): Promise<void> {
      ending.abort()
      await polling
    },
    isDenied: (subject: string) => denied.has(subject),
  }
}

/** Cuts a subject off (or lets it in again) on every node within a second of the commit. */
export async function changeAccess(tx: Tx, change: { subject: string; denied: boolean }): Promise<void> {
  await tx.query(ADD, [change.subject, change.denied])
}

/** Drops what no living token can depend on any more. */
export async function forgetOldAccessChanges(db: Queryable): Promise<void> {
  await purge(db, FORGET, [2 * TOKEN_SECONDS_MAX])
}
