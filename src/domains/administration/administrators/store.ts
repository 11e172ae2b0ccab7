import { isLive, SESSION_EXPIRES_AT } from '../../../access/administrator-sessions.ts'
import { ADMINISTRATORS } from '../../../access/caller.ts'
import { REVOCATIONS_PART, REVOKE_ENDED_PART } from '../../../access/revocations.ts'
import { sealedColumn, UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../../../kernel/crypto/vault.ts'
import { bytes, columns, instant, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { insertPart, type Part, type PartRows } from '../../../kernel/db/write-statement.ts'
import { recordedWrite } from '../../../record/index.ts'
import { ADMINISTRATOR_STATUSES, type AdministratorStatus } from './states.ts'

const STORED = table('administrators a', {
  id: text('administrator_id'),
  dataKey: text('data_key'),
  sealed: text('sealed'),
  role: oneOf('role', ADMINISTRATORS),
  status: oneOf('status', ADMINISTRATOR_STATUSES),
  lastSeenAt: time('last_seen_at'),
  ...VERSION,
})

/** The sealed part: personal data. The name is null where the identity provider gave none. */
export type AdministratorProfile = { name: string | null }

export type Administrator = Omit<RecordOf<typeof STORED>, 'dataKey' | 'sealed'> &
  AdministratorProfile & {
    /** Null: an administrator belongs to no user and to no platform. */
    userId: null
    platformId: null
    key: DataKey
  }

const FIND = statement('administrators_find', `${STORED.select} where a.administrator_id = $1`)

const FIND_BY_SUBJECT = statement('administrators_find_by_subject', `${STORED.select} where a.subject_hash = any ($1)`)

const LIST = statement(
  'administrators_list',
  STORED.newest({ where: '($1::text[] is null or a.status = any ($1))', limit: '$2', offset: '$3' }),
)

const SESSIONS_PART = insertPart('administrator_sessions', {
  id: text('session_id'),
  administratorId: text('administrator_id'),
  secretHash: bytes('secret_hash'),
  role: text('role'),
  sealed: text('sealed'),
  createdAt: time('created_at'),
  lastSeenAt: time('last_seen_at'),
  expiresAt: time('expires_at'),
})

/** Records a first login. */
export const INSERT_ADMINISTRATOR = recordedWrite({
  name: 'administrators_insert',
  one: `insert into administrators (administrator_id, subject_hash, data_key, sealed, role, status, last_seen_at, created_at, last_modified_at, hash_key)
        values ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8)
        returning 1 as n`,
  parts: [SESSIONS_PART],
  history: 'catalogue',
})

/** Ends the live sessions of the administrator `$1` for which a condition holds, and their tokens within a second. */
const endParts = ({ at, where = 'true' }: { at: string; where?: string }): Part[] => [
  {
    name: 'ended',
    columns: null,
    text: `update administrator_sessions s
        set ended_at = ${at}
       from changed
      where s.administrator_id = $1 and s.ended_at is null and ${where}
     returning s.session_id`,
  },
  REVOKE_ENDED_PART,
]

/**
 * Records a later login. Guarded by the revision, so that a login cannot race with disabling. Sessions with one of the
 * roles `$8` end: those above the role of this login.
 */
export const LOG_IN_ADMINISTRATOR = recordedWrite({
  name: 'administrators_log_in',
  one: `update administrators
           set sealed = $3, role = $4, last_seen_at = $5, revision = revision + 1, last_modified_at = $5,
               subject_hash = $6, hash_key = $7
         where administrator_id = $1 and revision = $2
        returning 1 as n`,
  parts: [SESSIONS_PART, ...endParts({ at: '$5', where: 's.role = any ($8)' })],
  events: false,
})

/** Guarded by the revision, which every login increments: a concurrent login is noticed and ended too. */
export const SET_ADMINISTRATOR_STATUS = recordedWrite({
  name: 'administrators_set_status',
  one: `update administrators
           set status = $3, revision = revision + 1, last_modified_at = $4
         where administrator_id = $1 and revision = $2
        returning 1 as n`,
  parts: endParts({ at: '$4' }),
  history: 'catalogue',
})

/** Ends a session; its tokens stop working within a second. */
export const END_SESSION = recordedWrite({
  name: 'administrator_sessions_end',
  one: `update administrator_sessions
           set ended_at = $2
         where session_id = $1 and ended_at is null
        returning 1 as n`,
  parts: [REVOCATIONS_PART],
  events: false,
})

const SESSION = columns('s', {
  id: text('session_id'),
  administratorId: text('administrator_id'),
  role: oneOf('role', ADMINISTRATORS),
  sealed: text('sealed'),
  createdAt: time('created_at'),
  lastSeenAt: time('last_seen_at'),
  /** When it ends even if used. */
  endsAt: instant('expires_at'),
  /** When it ends if it is not used again. */
  lastsUntil: {
    ...instant('lasts_until'),
    select: () => `extract(epoch from ${SESSION_EXPIRES_AT})::float8 as lasts_until_s`,
  },
})

export type Session = RecordOf<typeof SESSION>

const LIVE_SESSIONS = 'administrator_sessions s join administrators a on a.administrator_id = s.administrator_id'

const FIND_SESSION = statement(
  'administrator_sessions_find',
  `select ${SESSION.list} from ${LIVE_SESSIONS} where s.session_id = $1 and ${isLive('$2::timestamptz')}`,
)

const FIND_SESSION_BY_SECRET = statement(
  'administrator_sessions_find_by_secret',
  `select ${SESSION.list} from ${LIVE_SESSIONS} where s.secret_hash = $1 and ${isLive('$2::timestamptz')}`,
)

/** An existing administrator, with this session if it has it. */
const FIND_OWN_SESSION = statement(
  'administrator_sessions_find_own',
  `select s.session_id is not null as has_session
     from administrators a
     left join administrator_sessions s on s.administrator_id = a.administrator_id and s.session_id = $2 and ${isLive('$3::timestamptz')}
    where a.administrator_id = $1`,
)

const LIST_SESSIONS = statement(
  'administrator_sessions_list',
  listText(
    {
      columns: SESSION.list,
      from: 'administrator_sessions s',
      where: `s.administrator_id = a.administrator_id and ${isLive('$2::timestamptz')}`,
      order: 's.created_at desc, s.session_id desc',
      limit: '$3',
      offset: '$4',
    },
    { from: 'administrators a', where: 'a.administrator_id = $1' },
  ),
)

/** Returns an administrator. Throws 404 `not_found` when it is missing. */
export const findAdministrator = async (db: Queryable, vault: Vault, id: string): Promise<Administrator> =>
  withProfile(STORED.decodeFound(await db.query<object>(FIND, [id])), vault)

/** Returns the administrator with this identity, by any of its hashes; undefined before the first login. */
export async function findBySubject(
  db: Queryable,
  vault: Vault,
  hashes: readonly Buffer[],
): Promise<Administrator | undefined> {
  const [row] = await db.query<object>(FIND_BY_SUBJECT, [hashes])
  return row && withProfile(STORED.decode(row), vault)
}

type Filter = { statuses: AdministratorStatus[] | undefined; page: Page }

export async function listAdministrators(
  db: Queryable,
  vault: Vault,
  { statuses, page }: Filter,
): Promise<Paged<ShownAdministrator>> {
  const values = [statuses ?? null, page.limit, page.offset]
  const { rows, total } = STORED.decodePage(await db.query<{ total: number }>(LIST, values))
  return { rows: rows.map((stored) => decodeShown(stored, vault)), total }
}

/** Returns a session; undefined when it has ended. */
export async function findSession(db: Queryable, id: string, now: Date): Promise<Session | undefined> {
  const [row] = await db.query<object>(FIND_SESSION, [id, now])
  return row && SESSION.decode(row)
}

/** Returns a session by the hash of its cookie's secret; undefined when it has ended. */
export async function findSessionBySecret(db: Queryable, hash: Buffer, now: Date): Promise<Session | undefined> {
  const [row] = await db.query<object>(FIND_SESSION_BY_SECRET, [hash, now])
  return row && SESSION.decode(row)
}

/**
 * Returns true when the administrator has this session and it has not ended. Throws 404 `not_found` when the
 * administrator is missing.
 */
export async function hasSession(
  db: Queryable,
  { administratorId, sessionId }: { administratorId: string; sessionId: string },
  now: Date,
): Promise<boolean> {
  const rows = await db.query<{ has_session: boolean }>(FIND_OWN_SESSION, [administratorId, sessionId, now])
  return foundRow(rows).has_session
}

type SessionFilter = { administratorId: string; now: Date; page: Page }

/** Returns the active sessions, newest first. Throws 404 `not_found` when the administrator is missing. */
export async function listSessions(
  db: Queryable,
  { administratorId, now, page }: SessionFilter,
): Promise<Paged<Session>> {
  const values = [administratorId, now, page.limit, page.offset]
  const rows = await db.query<{ total: number }>(LIST_SESSIONS, values)
  return decodeOwnedPage(rows, 'session_id', SESSION.decode)
}

export const PROFILE = sealedColumn<AdministratorProfile, { id: string }>('administrators.sealed', {
  row: ({ id }) => `administrators:${id}`,
})

export const ID_TOKEN = sealedColumn<string, { id: string }>('administrator_sessions.sealed', {
  row: ({ id }) => `administrator_sessions:${id}`,
})

type NewSession = Pick<Session, 'id' | 'role'> & { secretHash: Buffer; idToken: string; at: Date; endsAt: Date }

export const rowsOfSession = (
  { id: administratorId, key }: Pick<Administrator, 'id' | 'key'>,
  { id, role, secretHash, idToken, at, endsAt }: NewSession,
): PartRows =>
  SESSIONS_PART.rows([
    {
      session_id: id,
      administrator_id: administratorId,
      secret_hash: secretHash,
      role,
      sealed: ID_TOKEN.seal(key, { id }, idToken),
      created_at: at,
      last_seen_at: at,
      expires_at: endsAt,
    },
  ])

/** Unseals the ID token of a session's login. */
export const openIdToken = ({ key }: Pick<Administrator, 'key'>, { id, sealed }: Pick<Session, 'id' | 'sealed'>) =>
  ID_TOKEN.open(key, { id }, sealed)

function withProfile({ dataKey, sealed, ...stored }: RecordOf<typeof STORED>, vault: Vault): Administrator {
  const key = vault.open(dataKey)
  const profile = PROFILE.open(key, stored, sealed)
  return { ...stored, ...profile, userId: null, platformId: null, key }
}

/** An administrator as the list shows it: an unreadable name, or key, is shown as unavailable. */
export type ShownAdministrator = Omit<Administrator, 'key' | 'userId' | 'platformId'>

function decodeShown({ dataKey, sealed, ...stored }: RecordOf<typeof STORED>, vault: Vault): ShownAdministrator {
  return { ...stored, ...PROFILE.openOr(() => vault.open(dataKey), stored, sealed, { name: UNAVAILABLE }) }
}
