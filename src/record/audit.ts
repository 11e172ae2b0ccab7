import { actorOf, findCredentialId } from '../access/caller.ts'
import { LINKED_REVOCATIONS } from '../access/revocations.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { createPurge } from '../kernel/db/purge.ts'
import { columns, nullable, oneOf, text, time, typeList } from '../kernel/db/columns.ts'
import { linkedInsert, type LinkedRows, type LinkedRowOf } from '../kernel/db/write-statement.ts'
import { isId, newId } from '../kernel/id.ts'
import type { NewEvent } from './catalogue.ts'
import type { Author } from './change.ts'
import type { StatusChange } from './history.ts'

/** What was done: data read, something changed, access revoked, or a token issued on the command line. */
export const AUDIT_ACTIONS = ['read', 'change', 'revoke', 'token'] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The columns set by the program; the database adds the transaction id. */
export const AUDIT_ENTRY = {
  id: text('audit_id'),
  at: time('at'),
  actor: text('actor'),
  operation: text('operation'),
  action: oneOf('action', AUDIT_ACTIONS),
  subject: nullable(text('subject')),
  userId: nullable(text('user_id')),
  requestId: text('request_id'),
  purpose: nullable(text('purpose')),
  credentialId: nullable(text('credential_id')),
}

const ENTRY = columns('r', AUDIT_ENTRY)

export const LINKED_AUDIT = linkedInsert('audit_entries', ENTRY.fields)

export type EntryRow = LinkedRowOf<typeof LINKED_AUDIT>

/** `$1` and `$2`: the entries, and the id of their batch. Writes nothing when the batch has been written. */
const INSERT = statement(
  'audit_entries_insert',
  `with batch as (
     insert into audit_writes (batch_id) values ($2) on conflict do nothing returning batch_id
   )
   insert into audit_entries (${ENTRY.names})
   select ${ENTRY.list} from json_to_recordset($1) as r (${typeList(ENTRY.fields)}) where exists (select from batch)`,
)

const BATCH_RETENTION_SECONDS = 24 * 3_600

/**
 * Inserts entries outside a write: a batch that can be sent again, unchanged, when its response was lost. Its first entry
 * identifies it, because a key of every entry would cost each audited write an index.
 */
export const insertEntries = (db: Queryable, rows: readonly EntryRow[]) =>
  db.query(INSERT, [JSON.stringify(rows), rows[0]?.audit_id])

/** Deletes the ids of batches that nobody sends again. */
export const deleteOldBatches = createPurge({
  table: 'audit_writes',
  time: 'written_at',
  seconds: BATCH_RETENTION_SECONDS,
})

type EntrySubject = { action: AuditAction; subject: string | null; userId: string | null }

/** Returns the row of an entry: ids and the purpose, no personal data. */
export const toEntryRow = (
  { caller, requestId, operation, purpose, at }: Author,
  { action, subject, userId }: EntrySubject,
): EntryRow => ({
  audit_id: newId('aud'),
  at,
  actor: actorOf(caller),
  operation: operation ?? (caller.kind === 'system' ? caller.job : 'unknown'),
  action,
  subject,
  user_id: userId,
  request_id: requestId,
  purpose: purpose ?? null,
  credential_id: findCredentialId(caller) ?? null,
})

type RecordedParts = {
  values: Readonly<Record<string, unknown>>
  history: readonly StatusChange[]
  events: readonly NewEvent[]
  rows: LinkedRows | undefined
}

/** Returns the entry of a write, derived from its history, events, revocations, path and new id. */
export function toChangeEntryRow({ values, history, events, rows }: RecordedParts, author: Author): EntryRow {
  const [event] = events
  const userId = author.userId ?? history.find((change) => change.userId !== null)?.userId ?? findUser(event) ?? null
  return toEntryRow(author, {
    action: (rows?.[LINKED_REVOCATIONS.name]?.length ?? 0) > 0 ? 'revoke' : 'change',
    subject: history[0]?.entityId ?? event?.subject ?? author.target ?? Object.values(values).find(isId) ?? userId,
    userId,
  })
}

function findUser(event: NewEvent | undefined): string | undefined {
  const userId: unknown = event && 'user_id' in event.data ? event.data.user_id : undefined
  return typeof userId === 'string' ? userId : undefined
}
