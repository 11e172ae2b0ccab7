import { wholeCredential, serviceOf } from '../../../access/caller.ts'
import { REVOCATIONS_PART } from '../../../access/revocations.ts'
import {
  bytes,
  columns,
  flag,
  instant,
  integer,
  nullable,
  oneOf,
  type RecordOf,
  text,
  texts,
  time,
} from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { recordedWrite } from '../../../record/index.ts'

export const OWNER_KINDS = ['platform', 'provider'] as const
export type OwnerKind = (typeof OWNER_KINDS)[number]

export type CredentialOwner = { kind: OwnerKind; id: string }

const LIST = statement(
  'credentials_list',
  'select credential_id from credentials where owner_id = $1 order by created_at desc, credential_id desc',
)

const USED_SLOT = columns('c', {
  credentialId: text('credential_id'),
  slot: integer('slot'),
  expiresAt: nullable(instant('expires_at')),
})

/** Returns no row when the owner does not exist. */
const FIND_OWNER = statement(
  'credentials_find_owner',
  `select ${USED_SLOT.list}
     from (select platform_id as owner_id from platforms where $1 = 'platform' and platform_id = $2
           union all
           select benefit_provider_id from benefit_providers where $1 = 'provider' and benefit_provider_id = $2) o
     left join credentials c on c.owner_id = o.owner_id
    order by c.expires_at`,
)

/**
 * Takes a free slot, or that of an expired credential, which it replaces. Writes nothing when a concurrent call took the
 * slot; the next attempt reads again and finds another one, or none.
 */
export const INSERT_CREDENTIAL = recordedWrite({
  name: 'credentials_insert',
  one: `insert into credentials (credential_id, owner_kind, owner_id, slot, secret_hash, created_at, expires_at,
               ip_allow_list)
        values ($1, $2, $3, $4, $5, $6, $7, $8)
        on conflict (owner_id, slot) do update
           set credential_id = excluded.credential_id, secret_hash = excluded.secret_hash,
               created_at = excluded.created_at, expires_at = excluded.expires_at,
               ip_allow_list = excluded.ip_allow_list, last_used_at = null
         where credentials.expires_at <= excluded.created_at
        returning 1 as n`,
})

export const DELETE_CREDENTIAL = recordedWrite({
  name: 'credentials_delete',
  one: 'delete from credentials where credential_id = $1 and owner_id = $2 returning 1 as n',
  parts: [REVOCATIONS_PART],
})

/** Ends the user tokens that the revocation of `$1` kept. */
export const END_USER_TOKENS = recordedWrite({
  name: 'credentials_end_user_tokens',
  one: 'select 1 as n where $1::text is not null',
  parts: [REVOCATIONS_PART],
  events: false,
})

/** Revocations outlive every token, so one that is gone has kept none. The event names the owner, which has no row left. */
const FIND_KEPT = statement(
  'credentials_find_kept_user_tokens',
  `select 1
     from events e
    where e.subject = $1 and e.type = 'credential.revoked' and e.platform_id = $2
      and exists (select from revocations r where r.subject = $3)
      and not exists (select from revocations r where r.subject = $4)
    limit 1`,
)

const STORED = columns('c', {
  kind: oneOf('owner_kind', OWNER_KINDS),
  ownerId: text('owner_id'),
  secretHash: bytes('secret_hash'),
  expiresAt: nullable(instant('expires_at')),
  ipAllowList: nullable(texts('ip_allow_list')),
})

const CREDENTIAL = columns('c', {
  id: text('credential_id'),
  createdAt: time('created_at'),
  expiresAt: nullable(time('expires_at')),
  ipAllowList: nullable(texts('ip_allow_list')),
  lastUsedAt: nullable(time('last_used_at')),
})

/** A credential without its secret. */
export type Credential = RecordOf<typeof CREDENTIAL>

const READ = statement(
  'credentials_read',
  `select ${CREDENTIAL.list} from credentials c where c.credential_id = $1 and c.owner_id = $2`,
)

const OWNER = columns('o', { enabled: flag('enabled'), epoch: integer('epoch') })

const FIND = statement(
  'credentials_find',
  `select ${STORED.list}, ${OWNER.list}
     from credentials c
    cross join lateral (
       select coalesce(bool_and(p.is_active), true) as enabled, coalesce(max(p.epoch), 0) as epoch
         from platform_access p
        where p.platform_id = c.owner_id) o
    where c.credential_id = $1`,
)

export async function listCredentialIds(db: Queryable, ownerId: string): Promise<string[]> {
  return (await db.query<{ credential_id: string }>(LIST, [ownerId])).map((row) => row.credential_id)
}

/** A credential's place among the limited number of its owner. */
export type UsedSlot = RecordOf<typeof USED_SLOT>

/** Returns the used slots of an owner, in the order in which they expire. Throws 404 `not_found` when the owner does not exist. */
export async function findSlots(db: Queryable, { kind, id }: CredentialOwner): Promise<UsedSlot[]> {
  const rows = await db.query<{ credential_id: string | null }>(FIND_OWNER, [kind, id])
  if (rows.length === 0) throw notFound()
  return rows.filter(({ credential_id }) => credential_id !== null).map(USED_SLOT.decode)
}

/** Whether a revoked credential of the owner has kept the tokens of its users. */
export const keepsUserTokens = async (db: Queryable, owner: CredentialOwner, credentialId: string): Promise<boolean> =>
  (await db.query(FIND_KEPT, [credentialId, owner.id, serviceOf(credentialId), wholeCredential(credentialId)])).length >
  0

export type StoredCredential = RecordOf<typeof STORED> & RecordOf<typeof OWNER>

export async function findCredential(db: Queryable, id: string): Promise<StoredCredential | undefined> {
  const [row] = await db.query<object>(FIND, [id])
  return row && { ...STORED.decode(row), ...OWNER.decode(row) }
}

/** Returns a credential of the owner. Throws 404 `not_found` when it does not exist. */
export async function readCredential(db: Queryable, owner: CredentialOwner, id: string): Promise<Credential> {
  return CREDENTIAL.decode(foundRow(await db.query<object>(READ, [id, owner.id])))
}
