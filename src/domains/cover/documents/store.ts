import { sealedColumn } from '../../../kernel/crypto/sealed-column.ts'
import type { DataKey, PerKey, Vault } from '../../../kernel/crypto/vault.ts'
import { bytes, columns, decoded, integer, nullable, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { onlyRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { decodeUserId, type UserId } from '../../../access/user-id.ts'
import type { Day } from '../../../kernel/date.ts'
import { linkedInsert, type LinkedWrite, type LinkedRows } from '../../../kernel/db/write-statement.ts'
import { recordedWrite } from '../../../record/index.ts'
import { cardOfMember } from './card-of-member.ts'
import type { PolicySnapshot } from './policy-snapshot.ts'

export type PolicyKey = { userId: UserId; id: string; key: DataKey }

const OF_POLICY = { userId: text('user_id'), policyId: text('policy_id') }

const LINKED_SNAPSHOTS = linkedInsert('policy_snapshots', {
  ...OF_POLICY,
  issue: integer('issue'),
  sealed: text('sealed'),
  at: time('at'),
})

const LINKED_CARDS = linkedInsert(
  'health_cards',
  { hash: bytes('card_hash'), ...OF_POLICY, memberId: text('member_id') },
  'on conflict do nothing',
)

/** Part of the write that enrols or issues a policy. A card stays the same across issues. */
export const SNAPSHOT_PARTS: readonly LinkedWrite[] = [LINKED_SNAPSHOTS, LINKED_CARDS]

const FILE = columns('f', {
  fileId: text('file_id'),
  documentType: text('document_type'),
  issue: integer('issue'),
  byteLength: integer('byte_length'),
  sha256: text('sha256'),
  createdAt: time('created_at'),
})

/** An uploaded file that replaces a generated document. */
export type DocumentFile = RecordOf<typeof FILE>

const FIND_FILE_AND_SNAPSHOT = statement(
  'policy_files_and_snapshots_find',
  `select a.sealed, ${FILE.list}
     from (select 1) one
     left join policy_snapshots a on a.user_id = $1 and a.policy_id = $2 and a.issue = $4
     left join policy_files f on f.user_id = $1 and f.policy_id = $2 and f.document_type = $3 and f.issue = $4
      and f.replaced_at is null`,
)

/** Returns SQL for the uploads that replace a document of a policy, at most one an issue. `decodeUploads` reads it. */
export const uploadsText = ({
  user,
  policy,
  documentType,
}: Record<'user' | 'policy' | 'documentType', string>): string =>
  `(select json_agg(json_build_object('file_id', f.file_id, 'document_type', f.document_type, 'issue', f.issue,
                      'byte_length', f.byte_length, 'sha256', f.sha256,
                      'created_at', to_char(f.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')))
      from policy_files f
     where f.user_id = ${user} and f.policy_id = ${policy} and f.document_type = ${documentType}
       and f.replaced_at is null)`

export const decodeUploads = (uploads: object[] | null): DocumentFile[] => (uploads ?? []).map(FILE.decode)

const UPLOAD = columns('f', {
  policyId: text('policy_id'),
  actor: text('actor'),
  replacedAt: nullable(time('replaced_at')),
})
const UPLOADER = columns('b', { uploader: nullable(text('name')) })

/** An upload with who made it, also one that was replaced. */
export type Upload = DocumentFile & RecordOf<typeof UPLOAD> & RecordOf<typeof UPLOADER>

const LIST_UPLOADS = statement(
  'policy_files_list',
  listText({
    columns: `${FILE.list}, ${UPLOAD.list}, ${UPLOADER.list}`,
    from: `policy_files f
     left join benefit_providers b
       on split_part(f.actor, ':', 1) in ('provider', 'provider_person') and b.benefit_provider_id = split_part(f.actor, ':', 2)`,
    where: 'f.user_id = $1',
    order: 'f.file_id desc',
    limit: '$2',
    offset: '$3',
  }),
)

export async function listUploads(db: Queryable, userId: string, { limit, offset }: Page): Promise<Paged<Upload>> {
  const rows = await db.query<{ total: number }>(LIST_UPLOADS, [userId, limit, offset])
  return decodePage(rows, 'file_id', (row) => ({ ...FILE.decode(row), ...UPLOAD.decode(row), ...UPLOADER.decode(row) }))
}

/** Leaves time for downloads and uploads in progress. */
const DELETED_AFTER = `interval '1 hour'`

/** Runs before a file is written, so that a crash leaves no orphaned file. */
const QUEUE_FOR_DELETION = statement(
  'files_to_delete_insert',
  `insert into files_to_delete (file_id, due_at) values ($1, $2::timestamptz + ${DELETED_AFTER})`,
)

const LINKED_QUEUE_REPLACED: LinkedWrite = {
  name: 'queued',
  columns: null,
  text: `insert into files_to_delete (file_id, due_at)
     select file_id, replaced_at + ${DELETED_AFTER} from replaced`,
}

const LINKED_UNQUEUE: LinkedWrite = {
  name: 'unqueued',
  columns: null,
  text: 'delete from files_to_delete q using changed where q.file_id = changed.file_id',
}

/**
 * Saves a file. Guarded by the file it replaces, or by the unique index when there was none, and by the deletion queue:
 * a file that is due may already be deleted.
 */
export const SAVE_FILE = recordedWrite({
  name: 'policy_files_save',
  values: {
    ...OF_POLICY,
    replacedFileId: nullable(text('replaced_file_id')),
    fileId: text('file_id'),
    documentType: text('document_type'),
    issue: integer('issue'),
    byteLength: integer('byte_length'),
    sha256: text('sha256'),
    actor: text('actor'),
    requestId: text('request_id'),
    at: time('at'),
  },
  single: `written as (
          select file_id from files_to_delete where file_id = :file_id and due_at > :at
        ), replaced as (
          update policy_files
             set replaced_at = :at
           where user_id = :user_id and file_id = :replaced_file_id and replaced_at is null
             and exists (select from written)
          returning file_id, replaced_at
        ), changed as (
          insert into policy_files (user_id, file_id, policy_id, document_type, issue, byte_length, sha256, actor,
                 request_id, created_at)
          select :user_id, file_id, :policy_id, :document_type, :issue, :byte_length, :sha256, :actor, :request_id, :at
            from written
           where :replaced_file_id::text is null or exists (select from replaced)
          returning 1 as n, file_id
        )`,
  linked: [LINKED_UNQUEUE, LINKED_QUEUE_REPLACED],
})

/** Marks a file as replaced, so that the generated document is served again. */
export const DELETE_UPLOAD = recordedWrite({
  name: 'policy_files_remove',
  values: { userId: text('user_id'), fileId: text('file_id'), at: time('at') },
  single: `replaced as (
          update policy_files
             set replaced_at = :at
           where user_id = :user_id and file_id = :file_id and replaced_at is null
          returning file_id, replaced_at
        ), changed as (
          select 1 as n from replaced
        )`,
  linked: [LINKED_QUEUE_REPLACED],
  history: 'user',
})

/** Deletes the health cards of the user `$1` and the uploads of their policies, whose files follow. */
export const ERASE_DOCUMENTS = statement(
  'policy_files_erase',
  `with cards as (
     delete from health_cards where user_id = $1
   ), gone as (
     delete from policy_files where user_id = $1 returning file_id, replaced_at
   )
   insert into files_to_delete (file_id, due_at)
   select file_id, now() from gone where replaced_at is null
       on conflict (file_id) do nothing`,
)

const IS_CURRENT = statement(
  'policy_files_is_current',
  'select 1 as n from policy_files f where f.user_id = $1 and f.file_id = $2 and f.replaced_at is null',
)

const COUNT_CURRENT = statement(
  'policy_files_count_current',
  'select count(*)::int as files from policy_files f where f.replaced_at is null',
)

const LIST_CURRENT = statement(
  'policy_files_list_current',
  `select f.user_id, f.file_id, f.policy_id, u.data_key
     from policy_files f join users u on u.user_id = f.user_id
    where (f.user_id, f.file_id) > ($1, $2) and f.replaced_at is null and u.data_key is not null
    order by f.user_id, f.file_id
    limit $3`,
)

const CARD = columns('h', {
  hash: bytes('card_hash'),
  userId: decoded('user_id', decodeUserId),
  policyId: text('policy_id'),
  memberId: text('member_id'),
})
type RegisteredCard = RecordOf<typeof CARD>
export type CardHolder = Omit<RegisteredCard, 'hash'>

const FIND_CARD = statement('health_cards_find', `select ${CARD.list} from health_cards h where h.card_hash = $1`)

const FIND_REGISTERED = statement(
  'health_cards_find_registered',
  'select card_hash from health_cards where card_hash = any ($1)',
)

const UNQUEUE = statement('files_to_delete_delete', 'delete from files_to_delete where file_id = $1')

const LIST_DUE_FILES = statement(
  'files_to_delete_due',
  'select file_id from files_to_delete where due_at <= now() and file_id <> all ($1) order by due_at limit $2',
)

type SnapshotKey = { userId: string; id: string; issue: number }

export const SNAPSHOT = sealedColumn<PolicySnapshot, SnapshotKey>('policy_snapshots.sealed', {
  row: ({ userId, id, issue }) => `policy_snapshots:${userId}:${id}:${issue}`,
  former: [{ row: ({ userId, id, issue }) => `policy_facts:${userId}:${id}:${issue}` }],
})

type NewSnapshots = { policy: PolicyKey; snapshots: readonly PolicySnapshot[]; at: Date }

/**
 * Returns the rows of `SNAPSHOT_PARTS` for the snapshots of an enrolment or of issues. An issue also
 * registers the cards of its members for the card check.
 */
export function toRowsOfSnapshots(vault: Vault, { policy, snapshots, at }: NewSnapshots): LinkedRows {
  const { userId, id: policyId, key } = policy
  const ofIssues = snapshots.filter(({ issue }) => issue > 0)
  const members = new Set(ofIssues.flatMap(({ dependants }) => ['self', ...dependants.map(({ id }) => id)]))
  return {
    ...LINKED_SNAPSHOTS.rows(
      snapshots.map((snapshot) => {
        const { issue } = snapshot
        const sealed = SNAPSHOT.seal(key, { userId, id: policyId, issue }, snapshot)
        return { user_id: userId, policy_id: policyId, issue, sealed, at }
      }),
    ),
    ...LINKED_CARDS.rows(
      [...members].flatMap((memberId) =>
        vault.hashers.map((hasher) => ({
          card_hash: cardOfMember(hasher, { userId, policyId, memberId }).hash,
          user_id: userId,
          policy_id: policyId,
          member_id: memberId,
        })),
      ),
    ),
  }
}

export async function findFileAndSnapshot(
  db: Queryable,
  policy: PolicyKey,
  { documentType, issue }: Pick<DocumentFile, 'documentType' | 'issue'>,
): Promise<{ file: DocumentFile | undefined; snapshot: PolicySnapshot | undefined }> {
  type Row = { sealed: string | null; file_id: string | null }
  const { userId, id, key } = policy
  const row = onlyRow(await db.query<Row>(FIND_FILE_AND_SNAPSHOT, [userId, id, documentType, issue]))
  return {
    file: row.file_id === null ? undefined : FILE.decode(row),
    snapshot: row.sealed === null ? undefined : SNAPSHOT.unseal(key, { userId, id, issue }, row.sealed),
  }
}

/**
 * Returns the newest issue of a policy whose term had begun on a day, else the newest, with the upload that replaces the document.
 */
export async function findOnDay(
  db: Queryable,
  policy: PolicyKey,
  { documentType, last, today }: { documentType: string; last: number; today: Day },
) {
  const newest = await findFileAndSnapshot(db, policy, { documentType, issue: last })
  for (let issue = last, found = newest; ; ) {
    if (!found.snapshot || found.snapshot.start_date <= today) return found
    if (issue <= 1) return newest
    found = await findFileAndSnapshot(db, policy, { documentType, issue: --issue })
  }
}

/** Whether a file has neither been replaced nor erased since it was read. */
export const isCurrentFile = async (db: Queryable, userId: string, fileId: string): Promise<boolean> =>
  (await db.query(IS_CURRENT, [userId, fileId])).length > 0

export const countCurrentFiles = async (db: Queryable): Promise<number> =>
  onlyRow(await db.query<{ files: number }>(COUNT_CURRENT)).files

/** A file that serves a document, with the wrapped key of its user. */
export type CurrentFile = Record<'user_id' | 'file_id' | 'policy_id' | 'data_key', string>

/** Returns the files of all users that serve a document, from the one after this on. */
export const listCurrentFiles = (
  db: Queryable,
  after: Pick<CurrentFile, 'user_id' | 'file_id'>,
  limit: number,
): Promise<CurrentFile[]> => db.query<CurrentFile>(LIST_CURRENT, [after.user_id, after.file_id, limit])

export const toStorageKey = (fileId: string): string => `documents/${fileId}`

/** Returns the row name that a sealed file is bound to. */
export const fileAddress = ({ userId }: { userId: string }, fileId: string): string =>
  `policy_files:${userId}:${fileId}`

export async function findCardHolder(db: Queryable, hash: Buffer): Promise<CardHolder | undefined> {
  const [row] = await db.query<object>(FIND_CARD, [hash])
  return row && CARD.decode(row)
}

const CARDS_AT_ONCE = 500

const LIST_CARDS = statement(
  'health_cards_list',
  `select ${CARD.list} from health_cards h where h.card_hash > $1 order by h.card_hash limit ${CARDS_AT_ONCE}`,
)

const REGISTER_CARDS = statement(
  'health_cards_register',
  `insert into health_cards (card_hash, user_id, policy_id, member_id)
   select c.card_hash, c.user_id, c.policy_id, c.member_id
     from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::bytea[])
          as c (card_hash, user_id, policy_id, member_id, older_hash)
     join health_cards h on h.card_hash = c.older_hash
    order by c.card_hash
       on conflict do nothing
   returning 1 as n`,
)

export const listCards = async (db: Queryable, after: Buffer): Promise<RegisteredCard[]> =>
  (await db.query<object>(LIST_CARDS, [after])).map(CARD.decode)

/** Returns how many were not registered before. `from` is the hash a card was listed with; one deleted since stays deleted. */
export async function registerCards(db: Queryable, cards: (RegisteredCard & { from: Buffer })[]): Promise<number> {
  const column = <K extends keyof (typeof cards)[0]>(name: K) => cards.map((card) => card[name])
  const values = [column('hash'), column('userId'), column('policyId'), column('memberId'), column('from')]
  return (await db.query(REGISTER_CARDS, values)).length
}

type Card = { id: string; hash: Buffer }

/** Returns the one of a member's cards that is registered: while the hash key rotates, the newest may not be yet. */
export async function registeredCard(db: Queryable, cards: PerKey<Card>): Promise<Card> {
  if (cards.length === 1) return cards[0]
  const hashes = cards.map(({ hash }) => hash)
  const rows = await db.query<{ card_hash: Buffer }>(FIND_REGISTERED, [hashes])
  return cards.find(({ hash }) => rows.some(({ card_hash }) => card_hash.equals(hash))) ?? cards[0]
}

/** Queues a file for deletion, `DELETED_AFTER` from `at`. */
export async function queueForDeletion(db: Queryable, fileId: string, at: Date): Promise<void> {
  await db.query(QUEUE_FOR_DELETION, [fileId, at])
}

/** Returns files due for deletion except the given ids, most overdue first. */
export async function listDueFiles(db: Queryable, { without, limit }: { without: string[]; limit: number }) {
  return (await db.query<{ file_id: string }>(LIST_DUE_FILES, [without, limit])).map(({ file_id }) => file_id)
}

export async function removeFromDeletionQueue(db: Queryable, fileId: string): Promise<void> {
  await db.query(UNQUEUE, [fileId])
}
