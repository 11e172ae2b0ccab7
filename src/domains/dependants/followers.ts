import type { Part, PartRow } from '../../kernel/db/write-statement.ts'
import type { By, Recorded } from '../../record/index.ts'
import type { OwnedDependant } from './store.ts'

/** A correction: the version that it replaces, and the id of the next. */
export type NewVersion = { previous: OwnedDependant; id: string }

/** What follows as part of the change: rows of the parts, what `guard` compares, history and events. */
export type Following = Recorded & { seen: string; rows: Readonly<Record<string, readonly PartRow[]>> }

/**
 * What has to follow a new version of a dependant, in the same statements. Those who follow stand above dependants, so
 * src/app.ts hands this in.
 */
export type Followers = {
  /**
   * What is read of them with the dependant: columns of `f`, and where these come from. `$1` is the user, `$4` the
   * dependant.
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
