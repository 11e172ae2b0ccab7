import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, type Queryable, statement } from '../kernel/db/database.ts'
import { createPurge } from '../kernel/db/purge.ts'
import { flag, integer, text } from '../kernel/db/columns.ts'
import { linkedInsert, type LinkedWrite, type LinkedRows } from '../kernel/db/write-statement.ts'
import { describe } from '../kernel/http/problems.ts'
import type { Log } from '../kernel/log.ts'
import { type Caller, listRevocables } from './caller.ts'
import { TOKEN_SECONDS_MAX } from './tokens.ts'

/** Every node must know a revocation within a second; two polls fit into it. */
export const POLL_INTERVAL_MS = 400
/** A transaction can commit this long after it wrote its row, so each poll rereads this period. */
const OVERLAP_SECONDS = 30
/** Twice the life of a token: tokens of a node whose clock is ahead seem to live longer. */
const RETENTION_SECONDS = 2 * TOKEN_SECONDS_MAX
/** An epoch that no token reaches: revokes the subject for good. */
const NEVER = 2 ** 31 - 1

/** Uses the database's clock, the earlier time if it was set back; the time read is passed to the next poll. */
const READ = statement(
  'revocations_read',
  `select extract(epoch from now())::float8 as read_at, c.subject, c.first_epoch
     from (values (1)) as always (one)
     left join lateral (
       select seq, subject, coalesce(first_epoch, revoked::integer * ${NEVER}) as first_epoch
         from revocations
        where at > least(to_timestamp($1), now()) - ${OVERLAP_SECONDS} * interval '1 second'
          and at > now() - ${RETENTION_SECONDS} * interval '1 second') c on true
    order by c.seq`,
)

export type Revocations = ReturnType<typeof createRevocations>

/**
 * Keeps the subjects whose unexpired tokens are revoked: revoked credentials, ended sessions, platforms that are or
 * were disabled. Every node holds them in memory and polls one small table, so a request costs a few map lookups.
 */
export function createRevocations(db: Database, log: Log) {
  const revoked = new Map<string, { firstEpoch: number; until: number }>() // oldest first
  const ending = new AbortController()
  /** Callers are kept with their verified tokens. */
  const revocables = new WeakMap<Caller, ReturnType<typeof listRevocables>>()
  let polling: Promise<void> = Promise.resolve()
  let readAt = 0 // the database's time of the last poll

  async function refresh(): Promise<void> {
    const now = performance.now()
    type Row = { read_at: number; subject: string | null; first_epoch: number }
    for (const { read_at, subject, first_epoch: firstEpoch } of await db.query<Row>(READ, [readAt])) {
      readAt = read_at
      if (subject === null) break
      revoked.delete(subject)
      revoked.set(subject, { firstEpoch, until: now + RETENTION_SECONDS * 1000 })
    }
    for (const [subject, { until }] of revoked) {
      if (until > now) break
      revoked.delete(subject) // all tokens it could revoke have expired
    }
  }

  async function poll(): Promise<void> {
    while (!ending.signal.aborted) {
      await refresh().catch((error: unknown) => log.warn({ error: describe(error) }, 'reading revocations failed'))
      await sleep(POLL_INTERVAL_MS, undefined, { signal: ending.signal }).catch(() => {})
    }
  }

  return {
    /** Loads all current revocations, then polls for new ones until `stop`. */
    async start(): Promise<void> {
      await refresh()
      polling = poll()
    },
    async stop(): Promise<void> {
      ending.abort()
      await polling
    },
    isRevoked(caller: Caller): boolean {
      let ofCaller = revocables.get(caller)
      if (!ofCaller) revocables.set(caller, (ofCaller = listRevocables(caller)))
      for (const { subject, epoch } of ofCaller) if ((revoked.get(subject)?.firstEpoch ?? 0) > epoch) return true
      return false
    },
  }
}

/** Revokes tokens as a part of a write: rows of a subject and the first epoch that stays valid. */
export const LINKED_REVOCATIONS = linkedInsert('revocations', {
  subject: text('subject'),
  isRevoked: flag('revoked'),
  firstEpoch: integer('first_epoch'),
})

/**
 * Returns the rows that revoke every token of a subject, on every node within a second of the commit: for good, or
 * those from before an epoch. Tokens of that epoch are valid at once on every node.
 */
export const revocationRows = (subject: string, firstEpoch = NEVER): LinkedRows =>
  LINKED_REVOCATIONS.rows([{ subject, revoked: true, first_epoch: firstEpoch }])

/** SQL: revokes the sessions ended by a part named `ended`. */
export const LINKED_REVOKE_ENDED: LinkedWrite = {
  name: 'revoked',
  columns: null,
  text: `insert into revocations (subject, revoked, first_epoch)
     select 'session:' || session_id, true, ${NEVER} from ended`,
}

/** SQL: revokes every token of the user `:user_id` of a write, whichever session or credential it came from. */
export const LINKED_REVOKE_USER: LinkedWrite = {
  name: 'revoked_user',
  columns: null,
  text: `insert into revocations (subject, revoked, first_epoch) select 'user:' || :user_id::text, true, ${NEVER} from changed`,
}

/**
 * SQL: notes that the phones of a user which a write frees lead to them no longer, for who restores a backup. No token has such a
 * subject.
 */
export const LINKED_REVOKE_PHONES: LinkedWrite = {
  name: 'revoked_phones',
  columns: null,
  text: `insert into revocations (subject, revoked, first_epoch)
     select ${phoneSubject('c')}, true, ${NEVER}
       from changed
       join calls c using (n)
      cross join unnest(array[c.old_phone_hash, c.old_other_phone_hash]) as f (former)
      where f.former is not null`,
  single: `insert into revocations (subject, revoked, first_epoch)
     select ${phoneSubject(null)}, true, ${NEVER}
       from changed
      cross join unnest(array[:old_phone_hash::bytea, :old_other_phone_hash::bytea]) as f (former)
      where f.former is not null`,
}

/** SQL: the subject of a phone that was freed; of the call `c`, or of the values of one. */
function phoneSubject(call: 'c' | null): string {
  const value = (column: string, type: string) => (call === null ? `:${column}::${type}` : `c.${column}`)
  return `'phone:' || ${value('user_id', 'text')} || ':' || encode(f.former, 'hex') || ':' || encode(${value('phone_hash', 'bytea')}, 'hex')`
}

/** Returns the user of such a subject, with the hash of the former phone and of the one after it. */
export function splitPhoneSubject(subject: string): { userId: string; former: string; phone: string } | undefined {
  const [, userId, former, phone] = /^phone:(\d{12}):([0-9a-f]+):([0-9a-f]+)$/.exec(subject) ?? []
  return userId !== undefined && former !== undefined && phone !== undefined ? { userId, former, phone } : undefined
}

/** SQL: a part that notes what a write shuts, for who restores a backup. No token has such a subject. */
const shutting = (kind: string, ids: readonly string[]): LinkedWrite => ({
  name: `listed_${kind}`,
  columns: null,
  text: `insert into revocations (subject, revoked, first_epoch)
     select concat_ws(':', '${kind}', ${ids.join(', ')}), true, ${NEVER} from changed`,
})

/** SQL: notes the consent of a write that is withdrawn. With its purpose: who withdraws one means those before it, too. */
export const LINKED_LIST_WITHDRAWAL = shutting('consent', [
  ':user_id::text',
  ':consent_id::text',
  ':purpose::text',
  `coalesce(:dependant_id::text, '')`,
])

/** SQL: notes the status of the administrator of a write; the last one counts. */
export const LINKED_LIST_STATUS = shutting('administrator', [':administrator_id::text', ':status::text'])

/** A withdrawal of the list. */
export type ListedWithdrawal = { userId: string; id: string; purpose: string; dependantId: string | null }

/** Returns the withdrawn consent of such a subject. */
export function splitConsentSubject(subject: string): ListedWithdrawal | undefined {
  const [, userId, id, purpose, dependantId] = /^consent:(\d{12}):(\w+):(\w+):(\w*)$/.exec(subject) ?? []
  if (userId === undefined || id === undefined || purpose === undefined || dependantId === undefined) return undefined
  return { userId, id, purpose, dependantId: dependantId === '' ? null : dependantId }
}

/** Every kind of subject that a program of this version writes: the part of a subject before its ids. */
export const REVOCATION_KINDS = [
  'administrator',
  'consent',
  'credential',
  'phone',
  'platform',
  'service',
  'session',
  'sessions_of',
  'user',
] as const

/** A revocation as it is kept outside the database. */
export type Revocation = { subject: string; firstEpoch: number; at: string }

/** As `READ`, of all that are kept, with their times. */
const LIST = statement(
  'revocations_list',
  `select extract(epoch from now())::float8 as read_at_s, c.subject, c.first_epoch, c.at
     from (values (1)) as always (one)
     left join lateral (
       select seq, subject, coalesce(first_epoch, revoked::integer * ${NEVER}) as first_epoch,
              to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
         from revocations
        where at > least(to_timestamp($1), now()) - ${OVERLAP_SECONDS} * interval '1 second') c on true
    order by c.seq`,
)

/** Returns the revocations since a time of the database, and those shortly before, which may have been committed since. */
export async function listRevocations(
  db: Queryable,
  since_s: number,
): Promise<{ read_at_s: number; rows: Revocation[] }> {
  type Row = { read_at_s: number; subject: string | null; first_epoch: number; at: string }
  const rows = await db.query<Row>(LIST, [since_s])
  return {
    read_at_s: rows[0]?.read_at_s ?? 0,
    rows: rows.flatMap(({ subject, first_epoch, at }) =>
      subject === null ? [] : [{ subject, firstEpoch: first_epoch, at }],
    ),
  }
}

const REVOKE_AGAIN = statement(
  'revocations_insert_again',
  `insert into revocations (subject, revoked, first_epoch)
   select r.subject, true, r.first_epoch
     from json_to_recordset($1) as r (subject text, first_epoch integer, at timestamptz)
    where r.at > now() - ${RETENTION_SECONDS} * interval '1 second'`,
)

/** Revokes the tokens again that revocations from before a restore have revoked and that may not have expired. */
export async function revokeAgain(db: Queryable, revocations: readonly Revocation[]): Promise<void> {
  const rows = revocations.map(({ subject, firstEpoch, at }) => ({ subject, first_epoch: firstEpoch, at }))
  await db.query(REVOKE_AGAIN, [JSON.stringify(rows)])
}

export const deleteOldRevocations = createPurge({ table: 'revocations', time: 'at', seconds: RETENTION_SECONDS })
