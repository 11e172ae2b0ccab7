import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Queryable, statement } from '../kernel/db/database.ts'
import { purge, purgeText } from '../kernel/db/purge.ts'
import { insertPart, type Part, type PartRow } from '../kernel/db/write-statement.ts'
import { describe } from '../kernel/http/problems.ts'
import type { Log } from '../kernel/log.ts'
import { type Caller, revocableSubjectsOf } from './caller.ts'
import { TOKEN_SECONDS_MAX } from './tokens.ts'

/** Every node knows of a revocation within a second; two tries fit into it. */
const POLL_INTERVAL_MS = 400
/** A transaction can commit this much after it wrote its row, so this much is read again each time. */
const OVERLAP_SECONDS = 30
/** Twice as long as a token lives: a node whose clock is ahead issues tokens that seem to live longer. */
const REMEMBERED_SECONDS = 2 * TOKEN_SECONDS_MAX
/** An epoch that no token reaches: the subject is revoked for good. */
const NEVER = 2 ** 31 - 1

/** Asked by the database's clock, the earlier one where it was set back; its time goes into the next question. */
const READ = statement(
  'revocations_read',
  `select extract(epoch from now())::float8 as read_at, c.subject, c.first_epoch
     from (values (1)) as always (one)
     left join lateral (
       select seq, subject, coalesce(first_epoch, revoked::integer * ${NEVER}) as first_epoch
         from revocations
        where at > least(to_timestamp($1), now()) - ${OVERLAP_SECONDS} * interval '1 second'
          and at > now() - ${REMEMBERED_SECONDS} * interval '1 second') c on true
    order by c.seq`,
)

const DELETE_OLD = statement(
  'revocations_forget',
  purgeText({ table: 'revocations', key: 'seq', condition: `at < now() - $1 * interval '1 second'` }),
)

export type Revocations = ReturnType<typeof openRevocations>

/**
 * Whose tokens are not valid any more although they have not expired: revoked credentials, ended sessions, platforms that
 * are or were disabled. Kept in memory by every node and brought up to date from one small table, so a request pays a few
 * look-ups in a map.
 */
export function openRevocations(db: Database, log: Log) {
  const revoked = new Map<string, { firstEpoch: number; until: number }>() // the one that can be forgotten first in front
  const ending = new AbortController()
  let polling: Promise<void> = Promise.resolve()
  let readAt = 0 // the database's time; at the start nothing was read

  async function refresh(): Promise<void> {
    const now = performance.now()
    type Row = { read_at: number; subject: string | null; first_epoch: number }
    for (const { read_at, subject, first_epoch: firstEpoch } of await db.query<Row>(READ, [readAt])) {
      readAt = read_at
      if (subject === null) break
      revoked.delete(subject)
      revoked.set(subject, { firstEpoch, until: now + REMEMBERED_SECONDS * 1000 })
    }
    for (const [subject, { until }] of revoked) {
      if (until > now) break
      revoked.delete(subject) // the last token that it could cut off has expired
    }
  }

  async function poll(): Promise<void> {
    while (!ending.signal.aborted) {
      await refresh().catch((error: unknown) => log.warn({ error: describe(error) }, 'revocations not read'))
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
    /** True when the token that the caller showed is not valid any more. */
    isRevoked(caller: Caller): boolean {
      const epoch = 'epoch' in caller ? caller.epoch : 0
      return revocableSubjectsOf(caller).some((subject) => (revoked.get(subject)?.firstEpoch ?? 0) > epoch)
    },
  }
}

/** Revokes tokens as a part of a write: rows of a subject and the first epoch that stays valid. */
export const REVOCATIONS_PART = insertPart('revocations', 'subject text, revoked boolean, first_epoch int')

/**
 * Returns the row that revokes every token of a subject, on every node within a second of the commit: for good, or those from
 * before an epoch. Tokens of that epoch are valid at once on every node.
 */
export const revocationOf = (subject: string, firstEpoch = NEVER): PartRow => ({
  subject,
  revoked: true,
  first_epoch: firstEpoch,
})

/** SQL: the same for the sessions that a part named `ended` has ended. */
export const REVOKE_ENDED_PART: Part = {
  name: 'revoked',
  columns: null,
  text: `insert into revocations (subject, revoked, first_epoch)
     select 'session:' || session_id, true, ${NEVER} from ended`,
}

/** SQL: the same for every token of the user `$1` of a write, whichever session or credential it came from. */
export const REVOKE_USER_PART: Part = {
  name: 'revoked_user',
  columns: null,
  text: `insert into revocations (subject, revoked, first_epoch) select 'user:' || $1::text, true, ${NEVER} from changed`,
}

/** Drops what no living token can depend on any more. */
export async function deleteOldRevocations(db: Queryable): Promise<void> {
  await purge(db, DELETE_OLD, [REMEMBERED_SECONDS])
}
