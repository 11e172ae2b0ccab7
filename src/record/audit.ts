import { type Actor, actorOf } from '../access/caller.ts'
import { REVOCATIONS_PART } from '../access/revocations.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { insertPart, type PartRow } from '../kernel/db/write-statement.ts'
import { isId, newId } from '../kernel/id.ts'
import type { NewEvent } from './catalogue.ts'
import type { StatusChange } from './history.ts'

/** What an entry says was done: looked at, changed, taken away from whoever had access, or let in by the command line. */
export const AUDIT_ACTIONS = ['read', 'change', 'revoke', 'token'] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** The columns that the program gives; the transaction is the database's own. */
const COLUMNS = `audit_id text, at timestamptz, actor text, operation text, action text, subject text, user_id text,
  request_id text, purpose text`

const NAMES = 'audit_id, at, actor, operation, action, subject, user_id, request_id, purpose'

/** The entry of a write, from the moment the write is committed. */
export const AUDIT_PART = insertPart('audit_entries', COLUMNS)

const INSERT = statement(
  'audit_entries_insert',
  `insert into audit_entries (${NAMES}) select ${NAMES} from json_to_recordset($1) as r (${COLUMNS})`,
)

/** Inserts entries that belong to no write. */
export const insertEntries = (db: Queryable, rows: readonly PartRow[]) => db.query(INSERT, [JSON.stringify(rows)])

/** What an entry is about: a thing, and the user whose it is. */
type About = { action: AuditAction; subject: string | null; userId: string | null }

/** The row of an entry. It names ids and states the purpose; it holds nothing of a person. */
export const rowOfEntry = (
  { caller, requestId, operation, purpose, at }: Actor & { at: Date },
  { action, subject, userId }: About,
): PartRow => ({
  audit_id: newId('aud'),
  at,
  actor: actorOf(caller),
  operation: operation ?? (caller.kind === 'system' ? caller.job : 'unknown'),
  action,
  subject,
  user_id: userId,
  request_id: requestId,
  purpose: purpose ?? null,
})

type Written = {
  values: readonly unknown[]
  history: readonly StatusChange[]
  events: readonly NewEvent[]
  rows: Readonly<Record<string, readonly PartRow[]>> | undefined
}

/** The entry of a write, from what the change says anyway: history, events, revocations, the address, the id that it gives. */
export function rowOfChange({ values, history, events, rows }: Written, by: Actor & { at: Date }): PartRow {
  const [event] = events
  const userId = by.userId ?? history.find((change) => change.userId !== null)?.userId ?? userOf(event) ?? null
  return rowOfEntry(by, {
    action: (rows?.[REVOCATIONS_PART.name]?.length ?? 0) > 0 ? 'revoke' : 'change',
    subject: history[0]?.entityId ?? event?.subject ?? by.target ?? values.find(isId) ?? userId,
    userId,
  })
}

function userOf(event: NewEvent | undefined): string | undefined {
  const userId: unknown = event && 'user_id' in event.data ? event.data.user_id : undefined
  return typeof userId === 'string' ? userId : undefined
}
