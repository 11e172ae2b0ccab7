import assert from 'node:assert/strict'
import fc from 'fast-check'

const SURROGATES_FROM = 0xd800
const SURROGATES = 0x800
const LAST = 0x10ffff

/**
 * Any character, the same as of `unit: 'binary'`: that one first makes a table of all 1.1 million of them, which takes a
 * second.
 */
export const anyCharacter = fc.nat({ max: LAST - SURROGATES }).map(
  (index) => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES),
  (character) => {
    const [one, ...more] = Array.from(String(character))
    assert(one !== undefined && more.length === 0 && one.isWellFormed(), 'it is one character')
    const code = one.codePointAt(0) ?? 0
    return code < SURROGATES_FROM ? code : code - SURROGATES
  },
)
