import { isLive, noSession, hashSession } from '../../../access/administrator-sessions.ts'
import { type Caller, type PersonRole, findSession } from '../../../access/caller.ts'
import type { GivenRole } from '../../../settings/read-oidc.ts'
import { LINKED_LIST_STATUS, LINKED_REVOCATIONS, LINKED_REVOKE_ENDED } from '../../../access/revocations.ts'
import { UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { bytes, integer, nullable, type RecordOf, text, texts, time } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodeOwnedPage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { linkedInsert, type LinkedWrite, type LinkedRows } from '../../../kernel/db/write-statement.ts'
import { forbidden, notFound } from '../../../kernel/problem-error.ts'
import { type Deps, recordedWrite } from '../../../record/index.ts'
import {
  type Administrator,
  ID_TOKEN,
  PROFILE,
  type Session,
  SESSIONS,
  type ListedAdministrator,
  STORED_ADMINISTRATORS,
} from './records.ts'
import type { AdministratorStatus } from './states.ts'

const FIND = statement('administrators_find', `${STORED_ADMINISTRATORS.select} where a.administrator_id = $1`)

const FIND_MANY = statement(
  'administrators_find_many',
  `${STORED_ADMINISTRATORS.select} where a.administrator_id = any ($1)`,
)

const FIND_BY_SUBJECT = statement(
  'administrators_find_by_subject',
  `${STORED_ADMINISTRATORS.select} where a.subject_hash = any ($1)`,
)

const LIST = statement(
  'administrators_list',
  STORED_ADMINISTRATORS.newest({ where: '($1::text[] is null or a.status = any ($1))', limit: '$2', offset: '$3' }),
)

/** Active administrators, if `$1`, and the people of the benefit provider `$2`, if it is given. */
const LIST_COLLEAGUES = statement(
  'administrators_list_colleagues',
  STORED_ADMINISTRATORS.newest({
    where: `a.status = 'ACTIVE' and (($1 and a.owner_id is null) or (a.role = 'provider' and a.owner_id = $2))`,
    limit: '$3',
    offset: '$4',
  }),
)

const LINKED_SESSIONS = linkedInsert('administrator_sessions', {
  id: text('session_id'),
  administratorId: text('administrator_id'),
  secretHash: bytes('secret_hash'),
  role: text('role'),
  ownerId: nullable(text('owner_id')),
  epoch: nullable(integer('epoch')),
  sealed: text('sealed'),
  createdAt: time('created_at'),
  lastSeenAt: time('last_seen_at'),
  expiresAt: time('expires_at'),
})

export const INSERT_ADMINISTRATOR = recordedWrite({
  name: 'administrators_insert',
  values: {
    id: text('administrator_id'),
    subjectHash: bytes('subject_hash'),
    dataKey: text('data_key'),
    sealed: text('sealed'),
    role: text('role'),
    ownerId: nullable(text('owner_id')),
    status: text('status'),
    at: time('at'),
    hashKey: text('hash_key'),
  },
  insert: 'administrators',
  columns:
    'administrator_id, subject_hash, data_key, sealed, role, owner_id, status, last_seen_at = :at, created_at = :at, ' +
    'last_modified_at = :at, hash_key',
  linked: [LINKED_SESSIONS],
  history: 'catalogue',
})

/** Ends the live sessions of an administrator for which a condition holds, and their tokens within a second. */
const endParts = (where = 'true'): LinkedWrite[] => [
  {
    name: 'ended',
    columns: null,
    text: `update administrator_sessions s
        set ended_at = :at
       from changed
      where s.administrator_id = :administrator_id and s.ended_at is null and ${where}
     returning s.session_id`,
  },
  LINKED_REVOKE_ENDED,
]

/** The revision is incremented by every login, so that a login and a change of the status notice each other. */
const CHANGE = {
  update: 'administrators a',
  key: 'a.administrator_id = :administrator_id',
  guard: 'a.revision = :revision',
}

/** Records a later login. Sessions with one of the roles above that of this login end, and those with the rights of another partner. */
export const LOG_IN_ADMINISTRATOR = recordedWrite({
  name: 'administrators_log_in',
  values: {
    id: text('administrator_id'),
    revision: integer('revision'),
    sealed: text('sealed'),
    role: text('role'),
    ownerId: nullable(text('owner_id')),
    at: time('at'),
    subjectHash: bytes('subject_hash'),
    hashKey: text('hash_key'),
    rolesAbove: texts('roles_above'),
  },
  ...CHANGE,
  set: `sealed = :sealed, role = :role, owner_id = :owner_id, last_seen_at = :at, revision = a.revision + 1, last_modified_at = :at,
               subject_hash = :subject_hash, hash_key = :hash_key`,
  linked: [LINKED_SESSIONS, ...endParts('(s.role = any (:roles_above) or s.owner_id is distinct from :owner_id)')],
  events: false,
})

export const SET_ADMINISTRATOR_STATUS = recordedWrite({
  name: 'administrators_set_status',
  values: {
    id: text('administrator_id'),
    revision: integer('revision'),
    status: text('status'),
    at: time('at'),
  },
  ...CHANGE,
  set: 'status = :status, revision = a.revision + 1, last_modified_at = :at',
  linked: [...endParts(), LINKED_LIST_STATUS],
  history: 'catalogue',
})

const DISABLE_LISTED = statement(
  'administrators_disable_listed',
  `update administrators a set status = 'DISABLED', revision = a.revision + 1, last_modified_at = $2
    where a.administrator_id = any ($1) and a.status <> 'DISABLED'
   returning a.administrator_id`,
)

/** Disables those who were disabled before a database was restored; returns those who were not. */
export async function disableListed(db: Queryable, ids: readonly string[], at: Date): Promise<string[]> {
  return (await db.query<{ administrator_id: string }>(DISABLE_LISTED, [ids, at])).map(
    ({ administrator_id }) => administrator_id,
  )
}

/** Ends the sessions of an administrator without a role at the identity provider. */
export const END_ALL_SESSIONS = recordedWrite({
  name: 'administrators_end_sessions',
  values: { id: text('administrator_id'), revision: integer('revision'), at: time('at') },
  ...CHANGE,
  set: 'revision = a.revision + 1, last_modified_at = :at',
  linked: endParts(),
  events: false,
})

export const END_SESSION = recordedWrite({
  name: 'administrator_sessions_end',
  values: { id: text('session_id'), at: time('at') },
  update: 'administrator_sessions s',
  set: 'ended_at = :at',
  key: 's.session_id = :session_id',
  guard: 's.ended_at is null',
  linked: [LINKED_REVOCATIONS],
  events: false,
})

const findLive = (name: string, column: string) =>
  statement(
    name,
    `select ${SESSIONS.list}
       from administrator_sessions s
       join administrators a on a.administrator_id = s.administrator_id
      where s.${column} = $1 and ${isLive('$2::timestamptz')}`,
  )
const FIND_SESSION = findLive('administrator_sessions_find', 'session_id')
const FIND_SESSION_BY_SECRET = findLive('administrator_sessions_find_by_secret', 'secret_hash')

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
      columns: SESSIONS.list,
      from: 'administrator_sessions s',
      where: `s.administrator_id = a.administrator_id and ${isLive('$2::timestamptz')}`,
      order: 's.created_at desc, s.session_id desc',
      limit: '$3',
      offset: '$4',
    },
    { from: 'administrators a', where: 'a.administrator_id = $1' },
  ),
)

const FIND_PLATFORM = statement(
  'administrators_find_platform',
  `select a.platform_id as owner_id, a.epoch from platform_access a where a.platform_id = $1 and a.is_active`,
)

const FIND_PROVIDER = statement(
  'administrators_find_provider',
  `select b.benefit_provider_id as owner_id, null::integer as epoch
     from benefit_providers b
    where b.benefit_provider_id = $1 or b.code = $1`,
)

/** A role as a session has it: with the partner, if it is a person of one, and the platform's epoch. */
export type FoundRole = { role: PersonRole; ownerId: string | null; epoch: number | null }

/** Returns the role that the identity provider gave; undefined when there is no such partner, or it is disabled. */
export async function findRole(db: Queryable, given: GivenRole): Promise<FoundRole | undefined> {
  const [kind, named] = given.split(':', 2) as [string, string | undefined]
  if (named === undefined) return { role: kind as PersonRole, ownerId: null, epoch: null }
  const [role, find] =
    kind === 'platform' ? (['platform', FIND_PLATFORM] as const) : (['provider', FIND_PROVIDER] as const)
  const [row] = await db.query<{ owner_id: string; epoch: number | null }>(find, [named])
  return row && { role, ownerId: row.owner_id, epoch: row.epoch }
}

/** Returns an administrator. Throws 404 `not_found` when it is missing. */
export const findAdministrator = async (db: Queryable, vault: Vault, id: string): Promise<Administrator> =>
  withProfile(STORED_ADMINISTRATORS.decodeFound(await db.query<object>(FIND, [id])), vault)

type Target = { deps: { db: Queryable; vault: Vault }; params: { administrator_id: string } }

/** Throws the same. */
export const administratorInPath = ({ deps, params }: Target): Promise<Administrator> =>
  findAdministrator(deps.db, deps.vault, params.administrator_id)

/** Returns the administrator with this identity, by any of its hashes; undefined before the first login. */
export async function findBySubject(
  db: Queryable,
  vault: Vault,
  hashes: readonly Buffer[],
): Promise<Administrator | undefined> {
  const [row] = await db.query<object>(FIND_BY_SUBJECT, [hashes])
  return row && withProfile(STORED_ADMINISTRATORS.decode(row), vault)
}

type Filter = { statuses: AdministratorStatus[] | undefined; page: Page }

export async function findAdministrators(
  db: Queryable,
  vault: Vault,
  { statuses, page }: Filter,
): Promise<Paged<ListedAdministrator>> {
  const values = [statuses ?? null, page.limit, page.offset]
  const { rows, total } = STORED_ADMINISTRATORS.decodePage(await db.query<{ total: number }>(LIST, values))
  return { rows: rows.map((row) => withShownProfile(row, vault)), total }
}

/** Returns those of these people who have ever logged in. */
export async function findPersons(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  ids: readonly string[],
): Promise<ListedAdministrator[]> {
  const rows = await db.query<object>(FIND_MANY, [ids])
  return rows.map((row) => withShownProfile(STORED_ADMINISTRATORS.decode(row), vault))
}

type Colleagues = { providerId: string | null; hasAdministrators: boolean; page: Page }

/** Returns active people who work together: those of a benefit provider, administrators, or both. */
export async function findColleagues(
  { db, vault }: Pick<Deps, 'db' | 'vault'>,
  { providerId, hasAdministrators, page }: Colleagues,
): Promise<Paged<ListedAdministrator>> {
  const values = [hasAdministrators, providerId, page.limit, page.offset]
  const { rows, total } = STORED_ADMINISTRATORS.decodePage(await db.query<{ total: number }>(LIST_COLLEAGUES, values))
  return { rows: rows.map((row) => withShownProfile(row, vault)), total }
}

/**
 * Returns the session of the caller. Throws 403 for callers who are no administrators, 404 for a token made on the
 * command line, and 401 when the session has ended.
 */
export async function findOwnSession({ db, clock }: Pick<Deps, 'db' | 'clock'>, caller: Caller): Promise<Session> {
  const session = findSession(caller)
  if (!session) throw 'subject' in caller ? notFound() : forbidden()
  const [row] = await db.query<object>(FIND_SESSION, [session.sessionId, clock.now()])
  if (!row) throw noSession()
  return SESSIONS.decode(row)
}

/** Returns the session of a cookie, by its secret; undefined when there is none, or it has ended. */
export async function findSessionOfCookie(
  db: Queryable,
  secret: string | undefined,
  now: Date,
): Promise<Session | undefined> {
  const hash = secret === undefined ? undefined : hashSession(secret)
  if (!hash) return undefined
  const [row] = await db.query<object>(FIND_SESSION_BY_SECRET, [hash, now])
  return row && SESSIONS.decode(row)
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
export async function findSessions(
  db: Queryable,
  { administratorId, now, page }: SessionFilter,
): Promise<Paged<Session>> {
  const values = [administratorId, now, page.limit, page.offset]
  const rows = await db.query<{ total: number }>(LIST_SESSIONS, values)
  return decodeOwnedPage(rows, 'session_id', SESSIONS.decode)
}

type NewSession = Pick<Session, 'id' | 'role' | 'ownerId' | 'epoch'> & {
  secretHash: Buffer
  idToken: string
  at: Date
  endsAt: Date
}

export const toSessionRows = (
  { id: administratorId, key }: Pick<Administrator, 'id' | 'key'>,
  { id, role, ownerId, epoch, secretHash, idToken, at, endsAt }: NewSession,
): LinkedRows =>
  LINKED_SESSIONS.rows([
    {
      session_id: id,
      administrator_id: administratorId,
      secret_hash: secretHash,
      role,
      owner_id: ownerId,
      epoch,
      sealed: ID_TOKEN.seal(key, { id }, idToken),
      created_at: at,
      last_seen_at: at,
      expires_at: endsAt,
    },
  ])

function withProfile(
  { dataKey, sealed, ...stored }: RecordOf<typeof STORED_ADMINISTRATORS>,
  vault: Vault,
): Administrator {
  const key = vault.unwrap(dataKey)
  const profile = PROFILE.unseal(key, stored, sealed)
  return { ...stored, ...profile, userId: null, platformId: null, key }
}

/** The same for those who are shown to others: a name that cannot be read is unavailable. */
const withShownProfile = (
  { dataKey, sealed, ...stored }: RecordOf<typeof STORED_ADMINISTRATORS>,
  vault: Vault,
): ListedAdministrator => ({
  ...stored,
  ...PROFILE.unsealOr(() => vault.unwrap(dataKey), stored, sealed, { name: UNAVAILABLE }),
})
