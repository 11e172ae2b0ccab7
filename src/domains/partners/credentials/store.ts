import { type Caller, toServiceSubject, wholeCredential } from '../../../access/caller.ts'
import { LINKED_REVOCATIONS } from '../../../access/revocations.ts'
import { checkIsOwn } from '../../../access/scope.ts'
import { bytes, integer, nullable, text, texts, time } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { recordedWrite } from '../../../record/index.ts'
import { benefitProviderInPath } from '../benefit-providers/index.ts'
import { platformInPath } from '../platforms/index.ts'
import {
  type Credential,
  CREDENTIAL,
  type CredentialOwner,
  OWNER,
  platformIn,
  type PlatformParams,
  PRESENTED,
  type PresentedCredential,
  providerIn,
  type ProviderParams,
  USED_SLOT,
  type UsedSlot,
} from './records.ts'

const LIST = statement(
  'credentials_list',
  'select credential_id from credentials where owner_id = $1 order by created_at desc, credential_id desc',
)

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
  values: {
    id: text('credential_id'),
    ownerKind: text('owner_kind'),
    ownerId: text('owner_id'),
    slot: integer('slot'),
    secretHash: bytes('secret_hash'),
    at: time('at'),
    expiresAt: nullable(time('expires_at')),
    ipAllowList: nullable(texts('ip_allow_list')),
  },
  insert: 'credentials',
  columns: 'credential_id, owner_kind, owner_id, slot, secret_hash, created_at = :at, expires_at, ip_allow_list',
  onConflict: `on conflict (owner_id, slot) do update
           set credential_id = excluded.credential_id, secret_hash = excluded.secret_hash,
               created_at = excluded.created_at, expires_at = excluded.expires_at,
               ip_allow_list = excluded.ip_allow_list, last_used_at = null
         where credentials.expires_at <= excluded.created_at`,
})

export const DELETE_CREDENTIAL = recordedWrite({
  name: 'credentials_delete',
  values: { id: text('credential_id'), ownerId: text('owner_id') },
  single: 'delete from credentials where credential_id = :credential_id and owner_id = :owner_id returning 1 as n',
  linked: [LINKED_REVOCATIONS],
})

const DELETE_REVOKED = statement(
  'credentials_delete_revoked',
  'delete from credentials where credential_id = $1 returning credential_id',
)

/** Deletes a credential that had been revoked before a database was restored; false when there is none. */
export const deleteRevokedCredential = async (db: Queryable, id: string): Promise<boolean> =>
  (await db.query(DELETE_REVOKED, [id])).length > 0

/** Ends the user tokens that a revocation kept: writes another one, and nothing else. */
export const END_USER_TOKENS = recordedWrite({
  name: 'credentials_end_user_tokens',
  values: {},
  single: 'select 1 as n',
  linked: [LINKED_REVOCATIONS],
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

const FIND_OF_OWNER = statement(
  'credentials_read',
  `select ${CREDENTIAL.list} from credentials c where c.credential_id = $1 and c.owner_id = $2`,
)

const FIND = statement(
  'credentials_find',
  `select ${PRESENTED.list}, ${OWNER.list}
     from credentials c
    cross join lateral (
       select coalesce(bool_and(p.is_active), true) as enabled, coalesce(max(p.epoch), 0) as epoch
         from platform_access p
        where p.platform_id = c.owner_id) o
    where c.credential_id = $1`,
)

export async function findCredentialIds(db: Queryable, ownerId: string): Promise<string[]> {
  return (await db.query<{ credential_id: string }>(LIST, [ownerId])).map((row) => row.credential_id)
}

type Target<Params> = { deps: { db: Queryable }; request: { caller: Caller }; params: Params }

/** Throws 404 `not_found` when the platform in the path does not exist, or is not the calling one. */
export async function ownPlatformIn(call: Target<PlatformParams>): Promise<CredentialOwner> {
  checkIsOwn(call.request.caller, { platformId: call.params.platform_id })
  await platformInPath(call)
  return platformIn(call.params)
}

/** Throws 404 `not_found` when the benefit provider in the path does not exist, or is not the calling one. */
export async function ownProviderIn(call: Target<ProviderParams>): Promise<CredentialOwner> {
  checkIsOwn(call.request.caller, { benefitProviderId: call.params.benefit_provider_id })
  await benefitProviderInPath(call)
  return providerIn(call.params)
}

/** Returns the used slots of an owner, in the order in which they expire. Throws 404 `not_found` when the owner does not exist. */
export async function findSlots(db: Queryable, { kind, id }: CredentialOwner): Promise<UsedSlot[]> {
  const rows = await db.query<{ credential_id: string | null }>(FIND_OWNER, [kind, id])
  if (rows.length === 0) throw notFound()
  return rows.filter(({ credential_id }) => credential_id !== null).map(USED_SLOT.decode)
}

/** Whether a revoked credential of the owner has kept the tokens of its users. */
export const keepsUserTokens = async (db: Queryable, owner: CredentialOwner, credentialId: string): Promise<boolean> =>
  (await db.query(FIND_KEPT, [credentialId, owner.id, toServiceSubject(credentialId), wholeCredential(credentialId)]))
    .length > 0

export async function findCredential(db: Queryable, id: string): Promise<PresentedCredential | undefined> {
  const [row] = await db.query<object>(FIND, [id])
  return row && { ...PRESENTED.decode(row), ...OWNER.decode(row) }
}

/** Returns a credential of the owner. Throws 404 `not_found` when it does not exist. */
export async function findOwnCredential(db: Queryable, owner: CredentialOwner, id: string): Promise<Credential> {
  return CREDENTIAL.decode(foundRow(await db.query<object>(FIND_OF_OWNER, [id, owner.id])))
}
