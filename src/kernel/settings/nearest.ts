/** More edits than these make another word. */
const EDITS_MAX = 2

/** Returns the known name that is at most two edits away, and begins with the same letter. */
export function findNearest(name: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .filter((one) => one[0] === name[0] && Math.abs(one.length - name.length) <= EDITS_MAX)
    .map((one) => ({ one, edits: editsBetween(name, one) }))
    .filter(({ edits }) => edits <= EDITS_MAX)
  return near.toSorted((one, other) => one.edits - other.edits)[0]?.one
}

/** Counts letters that were added, left out, replaced, or exchanged with their neighbour. */
function editsBetween(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = at(row, j - 1) + Number(one[i - 1] !== other[j - 1])
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const exchanged = isExchanged ? at(before, j - 2) + 1 : Infinity
      next.push(Math.min(replaced, exchanged, at(row, j) + 1, at(next, j - 1) + 1))
    }
    before = row
    row = next
  }
  return at(row, other.length)
}

const at = (row: number[], index: number): number => row[index] ?? Infinity
