import type { Difference } from './records.ts'

/** By the rows of the file, then what it lacks by policy, person and entry, so that the same file has the same response. */
export const inOrder = (differences: readonly Difference[]): Difference[] =>
  differences.toSorted((one, other) => {
    const rows = (one.row ?? Number.POSITIVE_INFINITY) - (other.row ?? Number.POSITIVE_INFINITY)
    if (Number.isFinite(rows) && rows !== 0) return rows
    if (one.row === null && other.row !== null) return 1
    if (one.row !== null && other.row === null) return -1
    return placeOf(one) < placeOf(other) ? -1 : 1
  })

const placeOf = ({ policyId, personId, entryId = null }: Difference) => `${policyId} ${personId} ${entryId}`
