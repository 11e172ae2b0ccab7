import type { DataKey } from '../../../kernel/crypto/vault.ts'
import type { LinkedWrite, LinkedRows } from '../../../kernel/db/write-statement.ts'
import type { Day } from '../../../kernel/date.ts'
import type { Author, PersonField, Recorded } from '../../../record/index.ts'

/** A covered person: a user or one of their dependants. */
type Person = { id: string; userId: string; platformId: string; key: DataKey }

/**
 * A correction: the previous version of the person, the current id, and the fields that differ. A dependant gets a new id,
 * a user keeps theirs.
 */
export type NewVersion = { previous: Person; id: string; fields: PersonField[] }

/** Who corrects, and when; `endorsementDays`: those in which a benefit provider should decide. */
export type PropagationTime = { today: Day; author: Author; endorsementDays: number }

/** What is written with the correction: rows of the parts, the value `guard` compares, history and events. */
type Propagation = Recorded & { seen: string; rows: LinkedRows }

/**
 * Records that must change together with a person, in the same statements. They belong to domains that depend on users
 * and dependants, which src/app.ts passes to these two.
 */
export type LinkedRecords = {
  /**
   * What is read of them together with the person: columns of `f`, and the `from` item that yields them, of the user
   * `:user_id` and, if the person is one, the dependant `:dependant_id`.
   */
  read: { columns: string; from: string }
  /** SQL condition on the write: none has changed since it was read. Compares `:seen`, which `propagate` returned. */
  guard: string
  linked: readonly LinkedWrite[]
  /** Decides how they change. The columns of a row are null when the person has no linked records. */
  propagate: (rows: readonly object[], version: NewVersion, now: PropagationTime) => Propagation
}
