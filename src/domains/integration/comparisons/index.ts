import { createComparison } from './create-comparison.ts'
import { listDifferences } from './list-differences.ts'
import { readComparison } from './read-comparison.ts'

export { deleteOldComparisons, ERASE_DIFFERENCES } from './store.ts'

export const comparisonOperations = [createComparison, readComparison, listDifferences]
