import type { Statement } from '../../../kernel/db/database.ts'

/**
 * The outcome for an erased person's rows in a table: `deleted`; `cleared` of everything that identifies the person;
 * `unreadable`, because the rows are append-only and the key of their sealed data is deleted; `kept`, without the person;
 * or `age`: ids and hashes that lead to nothing and are purged with their age anyway.
 */
export type Outcome = 'deleted' | 'cleared' | 'unreadable' | 'kept' | 'age'

/** Why data is retained. The terms of the first two are settings; events stay as long as all events. */
export type Ground = 'ledger' | 'policies' | 'log' | 'events'

/** One field of a person's data, and how it is erased. */
export type FieldErasure = {
  /** Its name in the response to the erasure. */
  field: string
  tables: Readonly<Record<string, Outcome>>
  /** Why it is retained; without a ground it is erased. */
  ground?: Ground
  /**
   * With a hold, what is sealed of it opens for the holder of the private key: because its rows stay until the hold is over, so
   * `step` waits, or because it is sealed in a copy or in append-only rows.
   */
  hold?: 'rows' | 'copy'
  /** Erases it, for the user `$1`; idempotent. A field without a step is erased by the erasure's own write. */
  step?: Statement
  /** Erases the retained data, for the user `$1`, when the term is over. */
  end?: Statement
}
