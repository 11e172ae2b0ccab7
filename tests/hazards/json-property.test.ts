import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseJsonObject } from '../../src/kernel/http/json.ts'
import { Refusal } from '../../src/kernel/refusal.ts'

/** Objects that may be sent: not too deep, and no number that JavaScript would change. */
const kept = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).filter((number) => !Object.is(number, -0)),
)
const key = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('__proto__', 'constructor', '"', '\\', '{', ',', ''),
)
const { object } = fc.letrec<{ object: Record<string, unknown>; value: unknown }>((tie) => ({
  object: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    kept,
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 5 }),
    tie('object'),
  ),
}))

const read = (text: string) => parseJsonObject(Buffer.from(text))
const isRefused = (text: string) => {
  try {
    read(text)
    return false
  } catch (error) {
    return error instanceof Refusal && error.code === 'malformed_json'
  }
}

describe('reading a body', () => {
  it('any object that may be sent is read as it was sent, however it is laid out', () => {
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        assert.deepEqual(read(JSON.stringify(value, null, indent)), JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('the same object with one of its keys a second time is refused', () => {
    fc.assert(
      fc.property(object, fc.string({ unit: 'binary' }), fc.boolean(), (value, name, escaped) => {
        const quoted = JSON.stringify(name)
        const second = escaped ? `"${escape(name)}"` : quoted
        const inner = JSON.stringify({ ...value, [name]: 1 }).slice(0, -1)
        assert(isRefused(`${inner},${second}:2}`))
        assert(isRefused(`{"outer":[0,${inner},${second}:2}]}`))
      }),
    )
  })

  it('any other bytes are refused or read, and nothing else ever happens', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.string(), (bytes, text) => {
        for (const body of [Buffer.from(bytes), Buffer.from(text), Buffer.from(`{"a":${text}}`)]) {
          let expected: unknown
          try {
            expected = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
          } catch {
            assert.throws(() => parseJsonObject(body), { code: 'malformed_json' })
            continue
          }
          try {
            assert.deepEqual(parseJsonObject(body), expected)
          } catch (error) {
            assert(error instanceof Refusal && error.code === 'malformed_json')
          }
        }
      }),
    )
  })

  /** Every UTF-16 unit as `\uXXXX`: the same key in another spelling. */
  function escape(name: string): string {
    return Array.from(
      { length: name.length },
      (_, index) => `\\u${name.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join('')
  }
})
