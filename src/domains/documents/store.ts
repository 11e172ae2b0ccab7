import { type Actor, actorOf } from '../../access/caller.ts'
import { type DataKey, unseal } from '../../kernel/crypto/vault.ts'
import { onlyRow, type Queryable, statement, type Tx, violates, type WireTime } from '../../kernel/db/database.ts'
import { decodeUserId, type UserId } from '../../kernel/db/decode.ts'
import { insertPart } from '../../kernel/db/write-statement.ts'
import { conflict, unavailable } from '../../kernel/refusal.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'

/** A policy as documents see it. */
export type PolicyKey = { userId: UserId; id: string; key: DataKey }

/** Carried along by the write that enrols or issues a policy. A card lasts from issue to issue. */
export const SNAPSHOT_PARTS = [
  insertPart('policy_facts', 'user_id text, policy_id text, issue int, sealed text, at timestamptz'),
  insertPart('health_cards', 'card_hash bytea, user_id text, policy_id text, member_id text', 'on conflict do nothing'),
]

const FILE_COLUMNS = 'f.file_id, f.document_type, f.issue, f.byte_length, f.sha256, f.created_at'

const FIND_SOURCES = statement(
  'policy_files_and_facts_find',
  `select a.sealed, ${FILE_COLUMNS}
     from (select $1::text as user_id) u
     left join policy_facts a on a.user_id = u.user_id and a.policy_id = $2 and a.issue = $4
     left join policy_files f on f.user_id = u.user_id and f.policy_id = $2 and f.document_type = $3 and f.issue = $4
      and f.replaced_at is null`,
)

const REPLACE_FILE = statement(
  'policy_files_replace',
  `update policy_files
      set replaced_at = now()
    where user_id = $1 and policy_id = $2 and document_type = $3 and issue = $4 and replaced_at is null
   returning file_id`,
)

const INSERT_FILE = statement(
  'policy_files_insert',
  `insert into policy_files as f (user_id, file_id, policy_id, document_type, issue, byte_length, sha256, actor, request_id)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   returning ${FILE_COLUMNS}`,
)

const FIND_CARD = statement(
  'health_cards_find',
  'select user_id, policy_id, member_id from health_cards where card_hash = $1',
)

const DELETE_LATER = statement(
  'files_to_delete_insert',
  `insert into files_to_delete (file_id, due_at) values ($1, now() + $2 * interval '1 second')`,
)

const KEEP = statement('files_to_delete_delete', 'delete from files_to_delete where file_id = $1 returning file_id')

const LIST_DUE_FILES = statement(
  'files_to_delete_due',
  'select file_id from files_to_delete where due_at <= now() and file_id <> all ($1) order by due_at limit $2',
)

type SnapshotKey = { userId: string; id: string; issue: number }

/** What a sealed snapshot is bound to. */
export const rowOfSnapshot = ({ userId, id, issue }: SnapshotKey) => `policy_facts:${userId}:${id}:${issue}`

/** Opens the snapshot of an issue, for those who read it with something else. */
export const openSnapshot = ({ key, ...at }: SnapshotKey & { key: DataKey }, sealed: string): PolicySnapshot =>
  unseal<PolicySnapshot>(key, rowOfSnapshot(at), sealed)

/** Which document, of which issue of the policy. */
export type Place = { userId: string; policyId: string; documentType: string; issue: number }

export type DocumentFile = {
  fileId: string
  documentType: string
  issue: number
  byteLength: number
  sha256: string
  createdAt: WireTime
}

type FileRow = {
  file_id: string
  document_type: string
  issue: number
  byte_length: number
  sha256: string
  created_at: WireTime
}

/** What a document can be made from: a file that takes its place, and what was kept of the issue. */
export async function findSources(
  db: Queryable,
  policy: PolicyKey,
  { documentType, issue }: Pick<Place, 'documentType' | 'issue'>,
): Promise<{ file: DocumentFile | undefined; snapshot: PolicySnapshot | undefined }> {
  type Row = { sealed: string | null } & (FileRow | { file_id: null })
  const { userId, id, key } = policy
  const row = onlyRow(await db.query<Row>(FIND_SOURCES, [userId, id, documentType, issue]))
  return {
    file: row.file_id === null ? undefined : decodeFile(row),
    snapshot: row.sealed === null ? undefined : openSnapshot({ userId, id, issue, key }, row.sealed),
  }
}

type NewFile = Place & { fileId: string; byteLength: number; sha256: string; by: Actor }

/** Where the file lies in the storage. */
export const storageKeyOf = (fileId: string): string => `documents/${fileId}`

/** What the sealed file is bound to. */
export const rowOfFile = ({ userId }: { userId: string }, fileId: string): string => `policy_files:${userId}:${fileId}`

/** The file leaves its place and goes later; its id, or undefined when there was none. */
export async function replaceFile(tx: Tx, place: Place): Promise<string | undefined> {
  const [replaced] = await tx.query<{ file_id: string }>(REPLACE_FILE, placeValues(place))
  if (replaced) await deleteFileLater(tx, replaced.file_id)
  return replaced?.file_id
}

/** Puts the file in its place. 409 when another upload did so in the same moment. */
export async function insertFile(tx: Tx, file: NewFile): Promise<DocumentFile> {
  if (!(await forgetFile(tx, file.fileId)))
    throw unavailable(new Error('the upload took so long that its file was deleted'))
  const { userId, fileId, policyId, documentType, issue, byteLength, sha256, by } = file
  const values = [userId, fileId, policyId, documentType, issue, byteLength, sha256, actorOf(by.caller), by.requestId]
  try {
    return decodeFile(onlyRow(await tx.query<FileRow>(INSERT_FILE, values)))
  } catch (error) {
    throw violates(error, 'policy_files_current') ? conflict('Another upload of this document is under way.') : error
  }
}

const placeValues = ({ userId, policyId, documentType, issue }: Place) => [userId, policyId, documentType, issue]

export type CardHolder = { userId: UserId; policyId: string; memberId: string }

export async function findCardHolder(db: Queryable, hash: Buffer): Promise<CardHolder | undefined> {
  type Row = { user_id: string; policy_id: string; member_id: string }
  const [row] = await db.query<Row>(FIND_CARD, [hash])
  return row && { userId: decodeUserId(row.user_id), policyId: row.policy_id, memberId: row.member_id }
}

/** Downloads that are under way, and an upload that is being written, have this long. */
const DELETED_AFTER_SECONDS = 60 * 60

/** Notes that a file must go. Noted before a file is written, it takes care of what a crash leaves behind. */
export async function deleteFileLater(db: Queryable, fileId: string): Promise<void> {
  await db.query(DELETE_LATER, [fileId, DELETED_AFTER_SECONDS])
}

export async function listDueFiles(db: Queryable, { without, limit }: { without: string[]; limit: number }) {
  return (await db.query<{ file_id: string }>(LIST_DUE_FILES, [without, limit])).map(({ file_id }) => file_id)
}

/** Forgets that a file must go, because it stays or is gone; false when nobody knew of it any more. */
export async function forgetFile(db: Queryable, fileId: string): Promise<boolean> {
  return (await db.query(KEEP, [fileId])).length > 0
}

const decodeFile = (row: FileRow): DocumentFile => ({
  fileId: row.file_id,
  documentType: row.document_type,
  issue: row.issue,
  byteLength: row.byte_length,
  sha256: row.sha256,
  createdAt: row.created_at,
})
