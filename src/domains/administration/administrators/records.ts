import { Type } from 'typebox'
import { OWN_SESSION, SESSION_EXPIRES_AT } from '../../../access/administrator-sessions.ts'
import { ADMINISTRATORS, PERSON_ROLES, type PersonRole } from '../../../access/caller.ts'
import type { GivenRole } from '../../../settings/read-oidc.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { sealedColumn } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey } from '../../../kernel/crypto/vault.ts'
import { columns, instant, nullable, oneOf, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { Nullable, OneOf, PathId, record, Timestamp } from '../../../kernel/http/schemas.ts'
import { type Deps, operationIn } from '../../../record/index.ts'
import type { IdentityProvider } from './identity-provider.ts'
import { ADMINISTRATOR_STATUSES } from './states.ts'

/** The identity provider of the administrators, and the mapping of its claims to roles. */
export type Login = { provider: IdentityProvider; roleOf: (claims: object) => GivenRole | undefined }

/** Defines an operation of a login; `login` is null where no provider is configured. */
export const loginOperation = operationIn<Deps & { origin: string; login: Login | null }>()

export const STORED_ADMINISTRATORS = table('administrators a', {
  id: text('administrator_id'),
  dataKey: text('data_key'),
  sealed: text('sealed'),
  role: oneOf('role', PERSON_ROLES),
  /** The partner of its person; null for administrators. */
  ownerId: nullable(text('owner_id')),
  status: oneOf('status', ADMINISTRATOR_STATUSES),
  lastSeenAt: time('last_seen_at'),
  ...VERSION,
})

/** The sealed part: personal data. The name is null where the identity provider gave none. */
type AdministratorProfile = { name: string | null }

export type Administrator = Omit<RecordOf<typeof STORED_ADMINISTRATORS>, 'dataKey' | 'sealed'> &
  AdministratorProfile & {
    /** Null: an administrator belongs to no user and to no platform. */
    userId: null
    platformId: null
    key: DataKey
  }

/** An administrator as the list shows it: an unreadable name, or key, is shown as unavailable. */
export type ListedAdministrator = Omit<Administrator, 'key' | 'userId' | 'platformId'>

export const SESSIONS = columns('s', {
  ...OWN_SESSION,
  sealed: text('sealed'),
  createdAt: time('created_at'),
  lastSeenAt: time('last_seen_at'),
  /** When it ends if it is not used again. */
  lastsUntil: {
    ...instant('lasts_until'),
    select: () => `extract(epoch from ${SESSION_EXPIRES_AT})::float8 as lasts_until_s`,
  },
})

export type Session = RecordOf<typeof SESSIONS>

export const PROFILE = sealedColumn<AdministratorProfile, { id: string }>('administrators.sealed', {
  row: ({ id }) => `administrators:${id}`,
})

export const ID_TOKEN = sealedColumn<string, { id: string }>('administrator_sessions.sealed', {
  row: ({ id }) => `administrator_sessions:${id}`,
})

const SHOWN_ROLES = [...ADMINISTRATORS, 'platform', 'benefit_provider'] as const

const RoleText = OneOf(SHOWN_ROLES, {
  description:
    'Role, assigned by the identity provider at each login; a person of a partner has the rights of its tokens',
})

const OwnerId = Nullable(
  Type.String({ description: 'The platform or benefit provider whose person it is; `null` for administrators' }),
)

const AdministratorName = Nullable(
  Type.String({ description: 'Name from the identity provider; `null` if it sends none' }),
)

const ExpiresAt = Timestamp('Time when the session ends if it is not used again')

/** Returns a role as a session names it. */
export const shownRole = (role: PersonRole) => (role === 'provider' ? 'benefit_provider' : role)

const person = { name: 'Asha Example', role: 'owner', owner_id: null }
const administratorId = 'adm_06bnv3kq0r3cj8m3w0h2d8y6xg'

export const AdministratorRecord = record(
  'Administrator',
  {
    id: Type.String(),
    name: AdministratorName,
    role: RoleText,
    owner_id: OwnerId,
    status: OneOf(ADMINISTRATOR_STATUSES),
    last_seen_at: Timestamp('Last use of a session, to the minute'),
  },
  {
    description: 'An administrator of this installation, or a person of a partner, created at the first login',
    examples: [{ id: administratorId, ...person, status: 'ACTIVE', last_seen_at: '2026-04-01T09:30:00' }],
  },
)

export const SessionRecord = record(
  'AdministratorSession',
  {
    id: Type.String(),
    role: RoleText,
    created_at: Timestamp('Time of the login'),
    last_seen_at: Timestamp('Last use of the session, to the minute'),
    expires_at: ExpiresAt,
  },
  {
    description: 'An active session',
    examples: [
      {
        id: 'ads_06bnv3m2r8f1s4k7q9t3v6w0y2',
        role: 'owner',
        created_at: '2026-04-01T09:00:00',
        last_seen_at: '2026-04-01T09:30:00',
        expires_at: '2026-04-01T10:00:00',
      },
    ],
  },
)

export const CurrentSessionRecord = record(
  'CurrentSession',
  {
    administrator_id: Type.String({ description: 'The administrator' }),
    name: AdministratorName,
    role: RoleText,
    owner_id: OwnerId,
    expires_at: ExpiresAt,
  },
  {
    description: 'The person who is logged in',
    examples: [{ administrator_id: administratorId, ...person, expires_at: '2026-04-01T10:00:00' }],
  },
)

export const presentAdministrator = ({ id, name, role, ownerId, status, lastSeenAt }: ListedAdministrator) => ({
  id,
  name,
  role: shownRole(role),
  owner_id: ownerId,
  status,
  last_seen_at: lastSeenAt,
})

export const presentSession = ({ id, role, createdAt, lastSeenAt, lastsUntil }: Session) => ({
  id,
  role: shownRole(role),
  created_at: createdAt,
  last_seen_at: lastSeenAt,
  expires_at: wireTime(lastsUntil),
})

export const presentCurrentSession = ({ id, name }: Administrator, { role, ownerId, lastsUntil }: Session) => ({
  administrator_id: id,
  name,
  role: shownRole(role),
  owner_id: ownerId,
  expires_at: wireTime(lastsUntil),
})

export const tags = ['Administrators']
export const AdministratorPath = Type.Object({ administrator_id: PathId('The administrator') })
export const REDIRECT = { 302: { description: 'Redirects to `Location`', type: 'null' } }
