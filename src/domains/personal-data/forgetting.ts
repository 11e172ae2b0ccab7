import type { Statement } from '../../kernel/db/database.ts'

/**
 * What becomes of what a table holds of an erased person: the rows are `deleted`; or `emptied`, and what is left names nobody;
 * or `unreadable`, because they may never be changed and what is sealed in them opens for nobody; or `kept`, without the person; or
 * they are ids and hashes that lead to nothing and that `age`, as they do anyway.
 */
export type Fate = 'deleted' | 'emptied' | 'unreadable' | 'kept' | 'age'

/** Why something is kept. The first two for a term that is a setting; events for as long as all events. */
export type Ground = 'ledger' | 'policies' | 'log' | 'events'

/** One thing that is known of a person, and who forgets it how. */
export type Forgetting = {
  /** How the response to the erasure calls it. */
  field: string
  tables: Readonly<Record<string, Fate>>
  /** Why it is retained; what has no ground is erased. */
  ground?: Ground
  /** Forgets it, for the user `$1`; run again it finds nothing. What has none is forgotten by the erasure itself. */
  step?: Statement
  /** Forgets what was retained, for the user `$1`, when the term is over. */
  end?: Statement
}
