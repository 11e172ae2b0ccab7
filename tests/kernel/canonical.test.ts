import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { canonicalJson } from '../../src/kernel/canonical.ts'

/** The same value with the members of every object in reverse order. */
function turned(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(turned)
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, turned(inner)]),
  )
}

describe('the canonical text of a value', () => {
  it('is the same whatever the order of its members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(canonicalJson(turned(value)), canonicalJson(value))
      }),
    )
  })

  it('contains all of it and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  /** Digests of these are stored: phones, profiles and dependants are found by them. */
  it('is stable across releases', () => {
    const value = { b: [{ d: 1, c: null }, 'é"\\\n'], a: { z: true, y: undefined }, 10: 'x', 9: 'w', A: 0.5 }
    assert.equal(canonicalJson(value), '{"9":"w","10":"x","A":0.5,"a":{"z":true},"b":[{"c":null,"d":1},"é\\"\\\\\\n"]}')
    assert.equal(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}')), '{"__proto__":{"a":2},"b":1}')
  })
})
