import type { LinkedRecords } from '../users/index.ts'
import { correctDependant } from './correct-dependant.ts'
import { createDependants } from './create-dependants.ts'
import { listDependants } from './list-dependants.ts'
import { readDependant } from './read-dependant.ts'

export { listLines } from './lines-store.ts'
export { rehashDependants } from './rehash-store.ts'
export { DependantRecord as DependantSchema, type DependantInput, presentDependant } from './records.ts'
export {
  dependantInPath,
  ERASE_DEPENDANTS,
  findCurrentVersions,
  findLaterVersions,
  listVersions,
  PROFILE as DEPENDANT_PROFILE,
  unsealDependant,
  birthOf,
  unsealDependantTolerantly,
} from './store.ts'

/** `linked` is what a correction changes with a dependant. */
export const dependantOperations = (linked: LinkedRecords) => [
  createDependants,
  listDependants,
  readDependant,
  correctDependant(linked),
]
