import { onlyRow, type Queryable, statement, type Tx } from '../../kernel/db/database.ts'
import { decoderOf } from '../../kernel/db/decode.ts'

export const OWNER_KINDS = ['platform', 'provider'] as const
export type OwnerKind = (typeof OWNER_KINDS)[number]

export type CredentialOwner = { kind: OwnerKind; id: string }

const LIST = statement(
  'credentials_list',
  'select credential_id from credentials where owner_id = $1 order by created_at desc, credential_id desc',
)

const COUNT = statement('credentials_count', 'select count(*)::int as count from credentials where owner_id = $1')

const INSERT = statement(
  'credentials_insert',
  'insert into credentials (credential_id, owner_kind, owner_id, secret_hash) values ($1, $2, $3, $4)',
)

const DELETE = statement(
  'credentials_delete',
  'delete from credentials where credential_id = $1 and owner_id = $2 returning credential_id',
)

const FIND = statement(
  'credentials_find',
  `select c.owner_kind, c.owner_id, c.secret_hash, coalesce(p.status = 'ACTIVE', true) as enabled,
          coalesce(p.access_epoch, 0) as epoch
     from credentials c
     left join platforms p on p.platform_id = c.owner_id
    where c.credential_id = $1`,
)

export async function listCredentialIds(db: Queryable, ownerId: string): Promise<string[]> {
  return (await db.query<{ credential_id: string }>(LIST, [ownerId])).map((row) => row.credential_id)
}

export async function countCredentials(tx: Tx, ownerId: string): Promise<number> {
  return onlyRow(await tx.query<{ count: number }>(COUNT, [ownerId])).count
}

export async function insertCredential(
  tx: Tx,
  credential: { id: string; owner: CredentialOwner; secretHash: Buffer },
): Promise<void> {
  await tx.query(INSERT, [credential.id, credential.owner.kind, credential.owner.id, credential.secretHash])
}

/** True when there was one under this owner. */
export async function deleteCredential(tx: Tx, credential: { id: string; ownerId: string }): Promise<boolean> {
  return (await tx.query(DELETE, [credential.id, credential.ownerId])).length > 0
}

export type StoredCredential = { owner: CredentialOwner; secretHash: Buffer; enabled: boolean; epoch: number }

const decodeKind = decoderOf(OWNER_KINDS, 'credential owner')

export async function findCredential(db: Queryable, id: string): Promise<StoredCredential | undefined> {
  type Row = { owner_kind: string; owner_id: string; secret_hash: Buffer; enabled: boolean; epoch: number }
  const [row] = await db.query<Row>(FIND, [id])
  return (
    row && {
      owner: { kind: decodeKind(row.owner_kind), id: row.owner_id },
      secretHash: row.secret_hash,
      enabled: row.enabled,
      epoch: row.epoch,
    }
  )
}
