import assert from 'node:assert/strict'
import { hashSecret, isWellFormedSecret, newSecret } from '../kernel/crypto/secrets.ts'
import { type Clock, toUnixSeconds } from '../kernel/clock.ts'
import { columns, instant, integer, nullable, oneOf, type RecordOf, text } from '../kernel/db/columns.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { createPurge } from '../kernel/db/purge.ts'
import { cookieIn } from '../kernel/http/cookies.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { type Caller, PERSON_ROLES } from './caller.ts'
import { isPlatformOpen } from './platform-access.ts'
import { LINKED_REVOKE_ENDED } from './revocations.ts'

export const SESSION_COOKIE = '__Host-banyan_session'
const PREFIX = 'byn_ads'

/** The maximum life of a session, even in use. */
export const SESSION_SECONDS = 8 * 60 * 60
/** The maximum time between requests. */
const IDLE_SECONDS = 30 * 60
/** The last use is written at most this often. */
const TOUCH_INTERVAL_SECONDS = 60

/**
 * SQL: the session `s` of the administrator `a` is valid at a time. A person's session can outlive the revocation of their platform,
 * which is kept as long as tokens live, so it is compared with the platform itself.
 */
export const isLive = (at: string): string => `s.ended_at is null and s.expires_at > ${at} and a.status = 'ACTIVE'
    and s.last_seen_at > ${at} - ${IDLE_SECONDS} * interval '1 second'
    and (s.role <> 'platform' or ${isPlatformOpen('s.owner_id', 's.epoch')})`

/** SQL: when the session `s` expires if it is not used again. */
export const SESSION_EXPIRES_AT = `least(s.expires_at, s.last_seen_at + ${IDLE_SECONDS} * interval '1 second')`

export const OWN_SESSION = {
  id: text('session_id'),
  administratorId: text('administrator_id'),
  role: oneOf('role', PERSON_ROLES),
  /** The partner of its person; null for administrators. */
  ownerId: nullable(text('owner_id')),
  /** The platform's epoch when it began. */
  epoch: nullable(integer('epoch')),
  /** When it ends even if used. */
  endsAt: instant('expires_at'),
}

const FOUND = columns('s', OWN_SESSION)

/** `$1` to `$3`: the hash of a cookie, the time, and whether a person uses it. */
const USE = statement(
  'administrator_sessions_use',
  `with s as (
     select s.session_id, s.administrator_id, s.role, s.owner_id, s.epoch, s.expires_at, s.last_seen_at
       from administrator_sessions s
       join administrators a on a.administrator_id = s.administrator_id
      where s.secret_hash = $1 and ${isLive('$2::timestamptz')}
   ), used as (
     update administrator_sessions u
        set last_seen_at = $2
       from s
      where $3 and u.session_id = s.session_id
         and u.last_seen_at < $2::timestamptz - ${TOUCH_INTERVAL_SECONDS} * interval '1 second'
     returning u.administrator_id
   ), seen as (
     update administrators a
        set last_seen_at = $2
       from used
      where a.administrator_id = used.administrator_id and a.last_seen_at < $2
   )
   select ${FOUND.list} from s`,
)

export function newSessionSecret(): { secret: string; hash: Buffer } {
  const secret = newSecret(PREFIX)
  return { secret, hash: hashSecret(secret) }
}

export const sessionSecretIn = ({ cookie }: { cookie?: string | undefined }): string | undefined =>
  cookieIn(cookie, SESSION_COOKIE)

export const hashSession = (secret: string): Buffer | undefined =>
  isWellFormedSecret(PREFIX, secret) ? hashSecret(secret) : undefined

/** `Session-Use: none` is sent by a page that asks by itself: what nobody uses ends. */
export const isUsedBy = (headers: Readonly<Record<string, string | string[] | undefined>>): boolean =>
  headers['session-use'] !== 'none'

type Cookie = { secret: string /** False for what a page asks by itself. */; isUsed: boolean }

/**
 * Returns the caller with a session, and records the use. Every request queries the database, so that ended sessions stop
 * working at once. Throws 401 when the session is not valid.
 */
export async function useSession(
  { db, clock }: { db: Queryable; clock: Clock },
  { secret, isUsed }: Cookie,
): Promise<Caller> {
  const hash = hashSession(secret)
  const [row] = hash ? await db.query<object>(USE, [hash, clock.now(), isUsed]) : []
  if (!row) throw noSession()
  return sessionCaller(FOUND.decode(row))
}

type Session = RecordOf<typeof FOUND>

export function sessionCaller({ id, administratorId, role, ownerId, epoch, endsAt }: Session): Caller {
  if (role !== 'platform' && role !== 'provider') return { kind: role, subject: administratorId, sessionId: id }
  assert(ownerId !== null, 'a person of a partner has one')
  const session = { credentialId: id, credentialExpiresAt: toUnixSeconds(endsAt), person: administratorId }
  return role === 'platform'
    ? { kind: role, platformId: ownerId, epoch: epoch ?? 0, ...session }
    : { kind: role, benefitProviderId: ownerId, ...session }
}

export const noSession = () =>
  new ProblemError('unauthenticated', 'The session is missing or has ended. Log in.', {
    headers: { 'www-authenticate': 'Bearer' },
  })

/** Longer than the clocks of processes may differ, and than a use may stay unwritten. */
const IDLE_MARGIN_SECONDS = 2 * TOUCH_INTERVAL_SECONDS

const END_IDLE = statement(
  'administrator_sessions_end_idle',
  `with ended as (
     update administrator_sessions s
        set ended_at = now()
      where s.ended_at is null and s.last_seen_at < now() - ${IDLE_SECONDS + IDLE_MARGIN_SECONDS} * interval '1 second'
     returning s.session_id
   ), revoked as (
     ${LINKED_REVOKE_ENDED.text}
   )
   select 1 from ended`,
)

/** Ends the sessions that nobody has used for too long, with the tokens that were issued from them: those of users live longer. */
export const endIdleSessions = async (db: Queryable): Promise<void> => void (await db.query(END_IDLE))

const END_LISTED = statement(
  'administrator_sessions_end_listed',
  'update administrator_sessions set ended_at = $2 where session_id = any ($1) and ended_at is null returning session_id',
)

/** Ends sessions that had ended before a database was restored; returns those that were open. */
export async function endListedSessions(db: Queryable, ids: readonly string[], at: Date): Promise<string[]> {
  return (await db.query<{ session_id: string }>(END_LISTED, [ids, at])).map(({ session_id }) => session_id)
}

/** Expired sessions are of no use, not even for the lists. */
export const deleteOldSessions = createPurge({ table: 'administrator_sessions', time: 'expires_at', seconds: 0 })
