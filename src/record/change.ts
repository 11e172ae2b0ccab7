import type { Actor } from '../access/caller.ts'
import type { Fields, RowWith } from '../kernel/db/columns.ts'
import {
  type LinkedRows,
  type Values,
  type Write,
  writeStatement,
  type WriteText,
} from '../kernel/db/write-statement.ts'
import type { ProblemError } from '../kernel/problem-error.ts'
import { LINKED_AUDIT } from './audit.ts'
import type { NewEvent } from './catalogue.ts'
import { LINKED_CATALOGUE_HISTORY, type History, type StatusChange, LINKED_USER_HISTORY } from './history.ts'
import { LINKED_KEY } from './idempotency.ts'
import { LINKED_EVENTS } from './outbox.ts'

/** Who makes a change, in which request or job, and when. */
export type Author = Actor & { at: Date }

/** A write with the parts of the record layer, without and with an idempotency key. */
type RecordedWrite = {
  readonly plain: Write
  readonly keyed: Write
  readonly history: History | undefined
  readonly audited: boolean
}

/** A write that takes values of these columns: all of them, or it does not compile. */
type RecordedWriteOf<F extends Fields> = RecordedWrite & {
  readonly with: (values: RowWith<F>) => Pick<Change<never>, 'write' | 'values'>
}

type Recorded = {
  history?: History
  /** False for a write without events. */
  events?: boolean
  /** False for a write that changes no record, which is not audited. */
  audited?: boolean
}

/**
 * Combines a domain's statement with its history, events, audit entry and idempotency key into one statement (two
 * variants: the part for the key costs the database some microseconds, and most calls have none). Called when the
 * module loads.
 */
export function recordedWrite<const F extends Fields>({
  history,
  events = true,
  audited = true,
  linked = [],
  ...text
}: WriteText<F> & Recorded): RecordedWriteOf<F> {
  const historyPart = history && (history === 'user' ? LINKED_USER_HISTORY : LINKED_CATALOGUE_HISTORY)
  const all = [
    ...linked,
    ...(historyPart ? [historyPart] : []),
    ...(events ? [LINKED_EVENTS] : []),
    ...(audited ? [LINKED_AUDIT] : []),
  ]
  const write: RecordedWriteOf<F> = {
    plain: writeStatement({ ...text, linked: all }),
    keyed: writeStatement({ ...text, name: `${text.name}_keyed`, linked: [...all, LINKED_KEY] }),
    history,
    audited,
    with: (values) => ({ write, values }),
  }
  return write
}

/**
 * The decision of an operation: the write that applies it, guarded by what was read, and the result for the caller. A
 * value, so that decisions are tested without a database.
 */
export type Change<Result> = {
  result: Result
  write: RecordedWrite
  /** The values of the domain's statement, by column. */
  values: Values
  /** Rows of the domain's own parts, by part name. */
  rows?: LinkedRows
  history?: readonly StatusChange[]
  events?: readonly NewEvent[]
  /**
   * The error for the caller when a unique constraint rejects the write; undefined when the conflicting row is gone
   * again. Any other constraint is a lost race: the operation rereads. Those of an operation that imports call look the row up, so that
   * they can also be asked before the write.
   */
  conflicts?: Readonly<Record<string, () => ProblemError | Promise<ProblemError | undefined>>>
}

/** Nothing to write: the record already is as requested. */
type Unchanged<Result> = { result: Result; write?: undefined }

export type Decision<Result> = Change<Result> | Unchanged<Result>

export const unchanged = <Result>(result: Result): Unchanged<Result> => ({ result })

/** Stores the response of an operation that has nothing else to write. */
export const KEY_ONLY: Change<void> = {
  result: undefined,
  ...recordedWrite({
    name: 'idempotency_keys_insert',
    values: {},
    single: 'select 1 as n',
    events: false,
    audited: false,
  }).with({}),
}
