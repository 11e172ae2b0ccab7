import type { Clock } from '../../../kernel/clock.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { countByOwner, findAge_s, writeCounts } from './store.ts'

/** Counts are at most a minute old: this, the pause between two calls, and the time that counting takes. */
const FRESH_S = 25

/** Counts everything, unless another process has just done so. Returns whether it did. */
export async function countAll(db: Queryable, clock: Clock): Promise<boolean> {
  const age_s = await findAge_s(db)
  if (age_s !== undefined && age_s < FRESH_S) return false
  const at = clock.now()
  await writeCounts(db, await countByOwner(db, at), at)
  return true
}
