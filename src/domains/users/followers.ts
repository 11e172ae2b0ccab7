import type { DataKey } from '../../kernel/crypto/vault.ts'
import type { Part, PartRow } from '../../kernel/db/write-statement.ts'
import type { By, Recorded } from '../../record/index.ts'

/** A person who is covered, a user or one of their dependants, as what names them has to know. */
type Person = { id: string; userId: string; platformId: string; key: DataKey }

/** A correction: the person as they were, and the id that names them from now on. A dependant gets a new one, a user keeps theirs. */
export type NewVersion = { previous: Person; id: string }

/** What follows as part of the change: rows of the parts, what `guard` compares, history and events. */
type Following = Recorded & { seen: string; rows: Readonly<Record<string, readonly PartRow[]>> }

/**
 * What has to follow a correction of a person, in the same statements. Those who follow stand above users and dependants, so
 * src/app.ts hands this in.
 */
export type Followers = {
  /**
   * What is read of them with the person: columns of `f`, and where these come from. `$1` is the user, `$4` the dependant
   * where it is one.
   */
  read: { columns: string; from: string }
  /**
   * A condition on the write: none has changed since it was read. `$1` is the user, `$3` what `follow` returned as
   * `seen`.
   */
  guard: string
  parts: readonly Part[]
  /** Decides how they change. The columns of a row are null when there is none. */
  follow: (rows: readonly object[], version: NewVersion, by: By) => Following
}
