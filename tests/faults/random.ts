import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'

/** A stream of choices; the same seed and name give the same stream. */
export type Random = {
  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number
  /** An integer between these, both inclusive. */
  between(from: number, to: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** Each with the probability of its weight. */
  weighted<T extends { weight: number }>(list: readonly T[]): T
  /** Letters and digits unique in this run. */
  word(): string
  /** An independent stream, so that draws of one part do not change those of another. */
  fork(name: string): Random
}

const WORD_LENGTH = 12
const DIGITS = 36

export function randomFrom(seed: string): Random {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()

  /** Mulberry32: small, and good enough for choices. */
  function fraction(): number {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const between = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1))

  function pick<T>(list: readonly T[]): T {
    assert(list.length > 0, 'there is something to pick from')
    return list[between(0, list.length - 1)] as T
  }

  function weighted<T extends { weight: number }>(list: readonly T[]): T {
    let left = fraction() * list.reduce((sum, { weight }) => sum + weight, 0)
    const chosen = list.find(({ weight }) => (left -= weight) < 0)
    return chosen ?? pick(list)
  }

  const digit = () => between(0, DIGITS - 1).toString(DIGITS)
  return {
    fraction,
    between,
    chance: (probability) => fraction() < probability,
    pick,
    weighted,
    word: () => Array.from({ length: WORD_LENGTH }, digit).join(''),
    fork: (name) => randomFrom(`${seed}/${name}`),
  }
}
