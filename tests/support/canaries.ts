import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isDay } from '../../src/kernel/date.ts'

type Json = Record<string, unknown>
/** A schema of the OpenAPI document, without references. */
export type Schema = Json

const random = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('')

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DAYS = Array.from(
  { length: 8 },
  (_, year) => `190${year}-${random('1', 1)}${random('012', 1)}-${random('12', 1)}${random('1234567', 1)}`,
)

/**
 * Values that stand nowhere else, so that finding one anywhere is a leak. Each begins with the same few letters or digits: a
 * search for these finds all of them, whatever was cut off, and what follows says which field it was planted in.
 */
export function createCanaries() {
  const mark = `zq${random(LOWER, 8)}`
  const number = `9${random('123456789', 8)}`
  const pan = `ZQ${random(LOWER, 3).toUpperCase()}${random('123456789', 4)}Z`
  const ifsc = `ZQXV0${random(LOWER, 6).toUpperCase()}`
  const fields: string[] = []

  /** A text for a field. */
  function text(field: string): string {
    if (!fields.includes(field)) fields.push(field)
    return mark + fields.indexOf(field).toString(36).padStart(3, '0')
  }

  const phone = (index: number) => `${number}${index}`
  let nextDay = 0
  const day = () => DAYS[nextDay++ % DAYS.length] ?? ''

  const ajv = new Ajv2020({
    strict: false,
    formats: {
      date: isDay,
      'idn-email': /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
      binary: true,
      uri: true,
      'date-time': true,
      int32: true,
      int64: true,
    },
  })

  /** The first of these kinds of values that a schema takes. */
  function fitting(schema: Schema, field: string): string {
    const value = text(field)
    const kinds = [
      value,
      `${value}@example.com`,
      day(),
      value.toUpperCase(),
      pan,
      ifsc,
      `${number}0000001`,
      phone(9),
      '+91',
      '#17503d', // the colour of an insurer is not personal
    ]
    const found = kinds.find((kind) => ajv.validate(schema, kind))
    assert(found !== undefined, `${field}: none of the canaries fits; add a kind for it`)
    return found
  }

  return {
    text,
    phone,
    /** The value that a schema takes, with a canary in each text that is not given. `field` is the pointer to it. */
    fill: (schema: Schema, given: unknown, field: string): unknown => fill({ fitting, text }, schema, { given, field }),
    /** What to look for, and its name. */
    patterns: (): Map<string, string> =>
      new Map([
        [mark, 'a text'],
        [number, 'a phone or account number'],
        [pan, 'a PAN'],
        [ifsc, 'an IFSC'],
        ...DAYS.map((one): [string, string] => [one, 'a date of birth']),
      ]),
    /** Those that no other bytes are like. */
    longPatterns: (): Map<string, string> =>
      new Map([
        [mark, 'a text'],
        [number, 'a phone or account number'],
        [pan, 'a PAN'],
        [ifsc, 'an IFSC'],
      ]),
    /** Which fields a text that was found came from. */
    fieldsIn: (found: string): string[] => [
      ...new Set(
        [...found.matchAll(new RegExp(`${mark}(\\w{3})`, 'gi'))].map(
          ([, code = '']) => fields[parseInt(code, 36)] ?? code,
        ),
      ),
    ],
  }
}

type Filling = { fitting: (schema: Schema, field: string) => string; text: (field: string) => string }
type Field = { given: unknown; field: string }

function fill(by: Filling, schema: Schema, { given, field }: Field): unknown {
  const isGiven = given !== undefined
  const branches = (schema['oneOf'] ?? schema['anyOf']) as Schema[] | undefined
  if (isGiven && (given === null || typeof given !== 'object' || Array.isArray(given))) return given
  if (branches) return fill(by, branchFor(branches, given), { given, field })
  if (schema['properties']) return fillMembers(by, schema, { given, field })
  if (isGiven) return given
  if (schema['const'] !== undefined) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const types = [schema['type']].flat()
  if (types.includes('string')) return by.fitting(schema, field)
  if (types.includes('array')) return [fill(by, schema['items'] as Schema, { given: undefined, field: `${field}/-` })]
  if (types.includes('object')) return { [by.text(`${field}/(name)`)]: by.text(`${field}/*`) }
  if (types.includes('boolean')) return true
  return schema['minimum'] ?? 1
}

/** The first alternative, or the one whose fixed words are given. */
function branchFor(branches: Schema[], given: unknown): Schema {
  const fits = (branch: Schema) =>
    Object.entries((given ?? {}) as Json).every(([name, value]) => {
      const member = (branch['properties'] as Record<string, Schema> | undefined)?.[name]
      return !Array.isArray(member?.['enum']) || member['enum'].includes(value)
    })
  return branches.find((branch) => branch['type'] !== 'null' && fits(branch)) ?? assert.fail()
}

/** Every member that there may be; one that is given as null is left out. */
function fillMembers(by: Filling, schema: Schema, { given, field }: Field): Json {
  const members = Object.entries(schema['properties'] as Record<string, Schema>)
  const known = (given ?? {}) as Json
  return Object.fromEntries(
    members
      .filter(([name]) => known[name] !== null)
      .map(([name, member]) => [name, fill(by, member, { given: known[name], field: `${field}/${name}` })]),
  )
}

const spellings = new Map<string, string[]>()

/** The ways in which a text might be written: as it is, in capitals, in hexadecimal, and within a text in base64. */
function spellingsOf(text: string): string[] {
  const known = spellings.get(text)
  if (known) return known
  const hex = Buffer.from(text).toString('hex')
  const within = [0, 1, 2].map((before) => {
    const encoded = Buffer.from(' '.repeat(before) + text).toString('base64')
    // What depends on the neighbours is cut off at both ends.
    return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + text.length) * 8) / 6))
  })
  const urlSafe = within.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'))
  const escapes = [encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]
  const all = [
    ...new Set([
      text,
      text.toLowerCase(),
      text.toUpperCase(),
      hex,
      hex.toUpperCase(),
      ...within,
      ...urlSafe,
      ...escapes,
    ]),
  ]
  spellings.set(text, all)
  return all
}

const AROUND = 60

/** What of these stands in a text or in bytes: what it is, and what is around it. */
export function leaksIn(place: string | Buffer, patterns: Map<string, string>): string[] {
  return [...patterns].flatMap(([pattern, name]) => {
    const found = spellingsOf(pattern).map((spelling) => place.indexOf(spelling))
    const at = found.find((one) => one !== -1)
    return at === undefined ? [] : [`${name}: ${String(place.slice(Math.max(0, at - AROUND), at + AROUND))}`]
  })
}
