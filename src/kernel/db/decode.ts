import assert from 'node:assert/strict'

/** A check that a stored word is one of its list. */
export function decoderOf<const T extends string>(words: readonly T[], what: string): (stored: string) => T {
  const known = new Set<string>(words)
  return (stored) => {
    assert(known.has(stored), `a stored ${what} is one of its list`)
    return stored as T
  }
}
