import { malformedJson, payloadTooLarge, type ProblemError } from '../problem-error.ts'
import { setOwn } from '../set-own.ts'

const DEPTH_MAX = 32
/** Of members and items together: each costs about a microsecond here, and as much again in the validation. */
const VALUES_MAX = 5_000

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Editors and .NET write it; nobody sees it. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** A JSON value from outside. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type JsonObject = { [key: string]: Json }

/**
 * Parses a body that must be one JSON object. Throws 400 `malformed_json` with the byte, counted from 0; nothing is
 * read in part. Throws 413 beyond 5,000 values. JSON.parse does not do: it takes the last of two equal keys, turns 1e400 into Infinity and 1e-400 into
 * 0, rounds numbers with more digits than a double, does not always report the position, and in V8 (since 12.8)
 * confuses keys written with escapes, in the whole process: once it has read `{"k":[],"\\":0}`, the second key of
 * `{"k":1,"\n":2}` is a backslash. It is reliable for single strings.
 */
export function parseJsonObject(bytes: Uint8Array): JsonObject {
  const text = decode(bytes)
  const cursor = { text, at: text.startsWith(BYTE_ORDER_MARK) ? 1 : 0, values: 0 }
  skipBlanks(cursor)
  if (cursor.text[cursor.at] !== '{') throw malformed(cursor, 'Expected a JSON object')
  const object = readObject(cursor, 1)
  skipBlanks(cursor)
  if (cursor.at < cursor.text.length) throw malformed(cursor, 'Unexpected text after the JSON object')
  return object
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformedJson(`The body is not valid UTF-8 at byte ${firstByteNotUtf8(Buffer.from(bytes))}.`)
  }
}

const REPLACED = '\uFFFD'
const REPLACED_BYTES = Buffer.from(REPLACED)

/** Returns the position of the first U+FFFD of the decoded text that was not sent as such. */
function firstByteNotUtf8(bytes: Buffer): number {
  const text = bytes.toString()
  let byte = 0
  for (let from = 0; ; from++, byte += REPLACED_BYTES.length) {
    const next = text.indexOf(REPLACED, from)
    if (next === -1) return bytes.length
    byte += Buffer.byteLength(text.slice(from, next))
    if (!bytes.subarray(byte, byte + REPLACED_BYTES.length).equals(REPLACED_BYTES)) return byte
    from = next
  }
}

const TOO_MANY_VALUES = `The body holds more than ${VALUES_MAX.toLocaleString('en')} values, members and items together.`

/** Each function below starts with the cursor at what it reads and leaves it after that. */
type Cursor = { text: string; at: number; values: number }

function readValue(cursor: Cursor, depth: number): Json {
  if (++cursor.values > VALUES_MAX) throw payloadTooLarge(TOO_MANY_VALUES)
  const char = cursor.text[cursor.at] ?? ''
  if (char === '"') return readString(cursor)
  if (char === '-' || (char >= '0' && char <= '9')) return readNumber(cursor)
  if (char !== '{' && char !== '[') return readWord(cursor)
  if (depth > DEPTH_MAX) throw malformed(cursor, `The body is nested deeper than ${DEPTH_MAX} levels`)
  return char === '{' ? readObject(cursor, depth) : readArray(cursor, depth)
}

function readObject(cursor: Cursor, depth: number): JsonObject {
  const object: JsonObject = {}
  readList(cursor, '}', () => {
    const { at } = cursor
    if (cursor.text[at] !== '"') throw unexpected(cursor)
    const key = readString(cursor)
    if (Object.hasOwn(object, key)) throw malformed({ text: cursor.text, at }, 'Repeated key in an object')
    skipBlanks(cursor)
    expect(cursor, ':')
    skipBlanks(cursor)
    setOwn(object, key, readValue(cursor, depth + 1))
  })
  return object
}

function readArray(cursor: Cursor, depth: number): Json[] {
  const items: Json[] = []
  readList(cursor, ']', () => items.push(readValue(cursor, depth + 1)))
  return items
}

function readList(cursor: Cursor, end: string, readItem: () => void): void {
  cursor.at++
  skipBlanks(cursor)
  if (cursor.text[cursor.at] !== end) {
    for (;;) {
      readItem()
      skipBlanks(cursor)
      if (cursor.text[cursor.at] !== ',') break
      cursor.at++
      skipBlanks(cursor)
    }
  }
  expect(cursor, end)
}

const ESCAPE = /["\\/bfnrt]|u[\da-fA-F]{4}/y
const QUOTE = '"'.charCodeAt(0)
const BACKSLASH = '\\'.charCodeAt(0)
/** Lower codes are control characters, which must be escaped. */
const BLANK = ' '.charCodeAt(0)

function readString(cursor: Cursor): string {
  const start = cursor.at
  let hasEscapes = false
  for (cursor.at++; ; cursor.at++) {
    const code = cursor.text.charCodeAt(cursor.at)
    if (code === QUOTE) break
    if (code === BACKSLASH) {
      hasEscapes = true
      cursor.at++
      cursor.at += readMatch(ESCAPE, cursor).length - 1
    } else if (!(code >= BLANK)) throw unexpected(cursor) // also at the end, where there is no code
  }
  cursor.at++
  const quoted = cursor.text.slice(start, cursor.at)
  return hasEscapes ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
}

const WORD = /true|false|null/y

function readWord(cursor: Cursor): boolean | null {
  const word = readMatch(WORD, cursor)
  cursor.at += word.length
  return word === 'null' ? null : word === 'true'
}

const NUMBER = /-?\d[\d.eE+-]*/y
const DECIMAL = /^-?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
/** A double preserves any number with this many digits, unless it is nearly zero. */
const DIGITS_KEPT = 15
const NEARLY_ZERO = 1e-300

function readNumber(cursor: Cursor): number {
  const written = readMatch(NUMBER, cursor)
  if (!DECIMAL.test(written)) throw unexpected(cursor)
  if (!isExact(written)) throw malformed(cursor, 'A number has too many digits or is out of range')
  cursor.at += written.length
  return Number(written)
}

/** Returns true when JavaScript reads exactly the number that was written. */
function isExact(written: string): boolean {
  const read = Math.abs(Number(written))
  if (read > Number.MAX_SAFE_INTEGER) return false
  if (written.length <= DIGITS_KEPT && (read > NEARLY_ZERO || !/[eE]/.test(written))) return true
  return toDecimal(written) === toDecimal(String(read))
}

/** Returns one spelling for each number: its digits without surrounding zeros, and the power of ten. */
function toDecimal(number: string): string {
  const [, whole = '', fraction = '', power = '0'] = DECIMAL.exec(number) ?? []
  const digits = whole + fraction
  let start = 0
  let end = digits.length
  while (digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  const exponent = start === end ? 0 : Number(power) - fraction.length + digits.length - end
  return `${digits.slice(start, end)}e${exponent}`
}

function skipBlanks(cursor: Cursor): void {
  const { text } = cursor
  for (;;) {
    const code = text.charCodeAt(cursor.at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
    cursor.at++
  }
}

function expect(cursor: Cursor, char: string): void {
  if (cursor.text[cursor.at] !== char) throw unexpected(cursor)
  cursor.at++
}

function readMatch(pattern: RegExp, cursor: Cursor): string {
  pattern.lastIndex = cursor.at
  const [text] = pattern.exec(cursor.text) ?? []
  if (text === undefined) throw unexpected(cursor)
  return text
}

const unexpected = (cursor: Cursor) =>
  cursor.at < cursor.text.length
    ? malformed(cursor, 'The body is not valid JSON: unexpected character')
    : malformed(cursor, 'The JSON is incomplete: the body ends')

const malformed = ({ text, at }: Pick<Cursor, 'text' | 'at'>, what: string): ProblemError =>
  malformedJson(`${what} at byte ${Buffer.byteLength(text.slice(0, at))}.`)

/** Escapes a member name as a token of a JSON Pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
