import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseJsonObject } from '../../../src/kernel/http/json.ts'
import { ProblemError } from '../../../src/kernel/problem-error.ts'
import { anyCharacter } from '../../support/any-character.ts'

/** Valid objects: not too deep, and no number that JavaScript would change. */
const kept = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).filter((number) => !Object.is(number, -0)),
)
const key = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('__proto__', 'constructor', '"', '\\', '{', ',', ''),
)
const { object } = fc.letrec<{ object: Record<string, unknown>; value: unknown }>((tie) => ({
  object: fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    kept,
    fc.string({ unit: anyCharacter }),
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
    return error instanceof ProblemError && error.code === 'malformed_json'
  }
}

const reasonOf = (text: string): string => {
  try {
    read(text)
    return ''
  } catch (error) {
    return error instanceof ProblemError ? error.detail : String(error)
  }
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Rejected when it is not a JSON object, and otherwise only for what JSON.parse accepts. */
function assertReadAsJson(text: string): void {
  const value = parsed(text)
  if (value === undefined || value === null || typeof value !== 'object' || Array.isArray(value)) {
    assert(isRefused(text))
  } else if (isRefused(text)) {
    assert.match(reasonOf(text), /Repeated key|too many digits/)
  } else if (!text.includes('\\')) {
    assert.deepEqual(read(text), value) // with escapes in keys JSON.parse cannot serve as the reference
  }
}

describe('parsing a body', () => {
  it('reads every valid object as sent, however it is formatted', () => {
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        assert.equal(JSON.stringify(read(JSON.stringify(value, null, indent))), JSON.stringify(value))
      }),
    )
  })

  it('does not confuse an escaped key with a key of an earlier body', () => {
    assert.deepEqual(read('{"k":[],"\\\\":0}'), { k: [], '\\': 0 })
    for (const [written, key] of Object.entries({ '\\"': '"', '\\n': '\n', '\\t': '\t', '\\u0001': '\u0001' })) {
      assert.deepEqual(read(`{"k":1,"${written}":2}`), { k: 1, [key]: 2 })
    }
  })

  it('rejects the same object with one of its keys repeated', () => {
    fc.assert(
      fc.property(object, fc.string({ unit: anyCharacter }), fc.boolean(), (value, name, escaped) => {
        const quoted = JSON.stringify(name)
        const second = escaped ? written(name) : quoted
        const inner = JSON.stringify({ ...value, [name]: 1 }).slice(0, -1)
        assert(isRefused(`${inner},${second}:2}`))
        assert(isRefused(`{"outer":[0,${inner},${second}:2}]}`))
      }),
    )
  })

  it('rejects or reads any other bytes, and does nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.string(), (bytes, text) => {
        for (const body of [Buffer.from(bytes), Buffer.from(text), Buffer.from(`{"a":${text}}`)]) {
          const asText = decoded(body)
          if (asText === undefined) assert.throws(() => parseJsonObject(body), { code: 'malformed_json' })
          else assertReadAsJson(asText)
        }
      }),
    )
  })

  it('reads a JSON text with one random change exactly as JSON.parse does', () => {
    const change = fc.record({
      at: fc.nat(),
      drop: fc.nat({ max: 2 }),
      put: fc.string({ unit: fc.constantFrom(...Array.from('{}[]",:\\\n\ttrue0123.eE+-/ux')), maxLength: 2 }),
    })
    fc.assert(
      fc.property(object, change, (value, { at, drop, put }) => {
        const whole = JSON.stringify(value)
        const position = at % whole.length
        // Half of a surrogate pair cannot be sent.
        const text = (whole.slice(0, position) + put + whole.slice(position + drop)).toWellFormed()
        assertReadAsJson(text)
      }),
      { numRuns: 2_000 },
    )
  })

  /** With every UTF-16 unit as `\uXXXX`: the same key, escaped differently. */
  function written(name: string): string {
    const units = Array.from({ length: name.length }, (_, index) => name.charCodeAt(index))
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
  }
})
