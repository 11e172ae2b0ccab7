import assert from 'node:assert/strict'

/** Returns a decoder that checks that a stored word is in its list. */
export function decoderOf<const T extends string>(words: readonly T[], what: string): (stored: string) => T {
  const known = new Set<string>(words)
  return (stored) => {
    assert(known.has(stored), `a stored ${what} is in its list`)
    return stored as T
  }
}
