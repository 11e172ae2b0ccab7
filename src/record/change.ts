import type { Actor } from '../access/caller.ts'
import { type Part, type PartRow, type Write, writeStatement } from '../kernel/db/write-statement.ts'
import type { ProblemError } from '../kernel/problem-error.ts'
import type { NewEvent } from './catalogue.ts'
import { CATALOGUE_HISTORY_PART, type StatusChange, USER_HISTORY_PART } from './history.ts'
import { KEY_PART } from './idempotency.ts'
import { EVENTS_PART } from './outbox.ts'

/** Who makes a change, in which request or job, and when. */
export type By = Actor & { at: Date }

/** A write with what the record layer carries along, without and with an idempotency key. */
export type RecordedWrite = { readonly plain: Write; readonly keyed: Write; readonly history: Part | undefined }

type Forms = Parameters<typeof writeStatement>[0] & {
  /** Which history it writes. */
  history?: 'user' | 'catalogue'
  /** False for a write that tells nobody. */
  events?: boolean
}

/**
 * A domain's own statement, joined with its history, its events and the idempotency key into one (two, named apart: the part
 * for the key costs the database some microseconds, and most calls have none). Made when the module loads.
 */
export function recordedWrite({ history, events = true, parts = [], ...forms }: Forms): RecordedWrite {
  const historyPart = history && (history === 'user' ? USER_HISTORY_PART : CATALOGUE_HISTORY_PART)
  const all = [...parts, ...(historyPart ? [historyPart] : []), ...(events ? [EVENTS_PART] : [])]
  return {
    plain: writeStatement({ ...forms, parts: all }),
    keyed: writeStatement({ ...forms, name: `${forms.name}_keyed`, parts: [...all, KEY_PART] }),
    history: historyPart,
  }
}

/**
 * What an operation has decided: the write that makes it true, guarded by what was read, and the result for the caller. A
 * value, so that the decision can be tested without a database.
 */
export type Change<Result> = {
  result: Result
  write: RecordedWrite
  /** `$1`, `$2` … of the domain's own statement. */
  values: readonly unknown[]
  /** Rows of the domain's own parts, by the part's name. */
  rows?: Readonly<Record<string, readonly PartRow[]>>
  history?: readonly StatusChange[]
  events?: readonly NewEvent[]
  /**
   * What the caller is told when a unique constraint refuses the write; undefined when what was in the way is gone
   * again. Any other constraint is a lost race: the operation reads again.
   */
  conflicts?: Readonly<Record<string, () => ProblemError | Promise<ProblemError | undefined>>>
}

/** Nothing to write: the thing is already as it was asked to be. */
export type Unchanged<Result> = { result: Result; write?: undefined }

export type Decision<Result> = Change<Result> | Unchanged<Result>

export const unchanged = <Result>(result: Result): Unchanged<Result> => ({ result })

/** Keeps the response of an operation that had nothing else to write. */
export const NOTHING_BUT_KEY: Change<void> = {
  result: undefined,
  write: recordedWrite({ name: 'idempotency_keys_insert', one: 'select 1 as n', events: false }),
  values: [],
}
