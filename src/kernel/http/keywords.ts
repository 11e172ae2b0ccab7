import { Ajv, type ErrorObject, type KeywordDefinition } from 'ajv'
import ajvFormats from 'ajv-formats'
import { domainToASCII } from 'node:url'
import { type Clock, timeFrom, todayIn } from '../clock.ts'
import { isDay } from '../date.ts'
import { hasPaisePrecision } from '../money.ts'

/** The current day, as the end of a `dayRange`. */
export const TODAY = 'today'

/** Our keywords beyond those of JSON Schema. */
const createKeywords = (clock: Clock): KeywordDefinition[] => [
  /** The error sentence for a pattern; returned by `describeError`. */
  { keyword: 'words', schemaType: 'string' },
  /** Null means absent; `knownMembers` drops it before validation. */
  { keyword: 'nullIsAbsent', schemaType: 'boolean' },
  /** An amount in paise, which a CSV shows in rupees. */
  { keyword: 'paise', schemaType: 'boolean' },
  { keyword: 'token', type: 'string', schemaType: 'array', validate: isOneOfTokens },
  { keyword: 'uniqueBy', type: 'array', schemaType: 'array', errors: 'full', validate: uniqueBy },
  {
    keyword: 'requiresOneOf',
    type: 'object',
    schemaType: 'array',
    validate: (names: string[], value: object) => names.some((name) => Object.hasOwn(value, name)),
  },
  {
    keyword: 'paisePrecision',
    type: 'number',
    schemaType: 'boolean',
    validate: (_schema: boolean, value: number) => hasPaisePrecision(value),
  },
  {
    keyword: 'utcTime',
    type: 'string',
    schemaType: 'boolean',
    validate: (_schema: boolean, value: string) => timeFrom(value) !== undefined,
  },
  {
    keyword: 'dayRange',
    type: 'string',
    schemaType: 'array',
    validate: ([first = '', last = '']: string[], day: string) =>
      day >= first && day <= (last === TODAY ? todayIn(clock) : last),
  },
]

/**
 * Letters, marks and signs beyond ASCII, and the zero-width joiner and non-joiner; no blanks, nothing else invisible.
 */
const FOREIGN = /[^\p{ASCII}\p{Z}\p{C}]|[\u200c\u200d]/gu
/** At most the length of a domain: conversion to ASCII takes quadratic time. */
const FOREIGN_DOMAIN = /^(?=.*\P{ASCII})[\p{L}\p{M}\p{N}\u200c-\u200d.-]{1,253}$/u

const NO_CLOCK: Clock = { now: () => new Date(0) }

/** The names of our keywords. Other tools do not know them, so the OpenAPI document prefixes them with `x-`. */
export const PRIVATE_KEYWORDS: readonly string[] = createKeywords(NO_CLOCK).flatMap(({ keyword }) => keyword)

/** Creates the input validator: reports every error; converts, removes and fills in nothing. */
export function newAjv(clock: Clock): Ajv {
  const ajv = new Ajv({
    allErrors: true, // after `knownMembers`, the schema bounds their number
    strict: false,
    // The linted OpenAPI document has the same schemas: checking each at its first use is a quarter of compiling it.
    meta: false,
    validateSchema: false,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    discriminator: true,
  })
  ajvFormats.default(ajv, { formats: ['email'], mode: 'full' })
  const ascii = ajv.formats['email'] as RegExp
  ajv.addFormat('idn-email', (text: string) => ascii.test(asciiEmail(text)))
  ajv.addFormat('date', isDay)
  ajv.addVocabulary(createKeywords(clock))
  return ajv
}

/**
 * Converts an email address of any script (RFC 6531) to an ASCII one that is well-formed if and only if the original
 * is.
 */
const asciiEmail = (text: string) =>
  text
    .split('@')
    .map((part, index) => (index === 0 ? part.replaceAll(FOREIGN, 'x') : asciiDomain(part)))
    .join('@')

const asciiDomain = (domain: string) => (FOREIGN_DOMAIN.test(domain) ? domainToASCII(domain) : domain)

/** Returns true for one of the words; a word that ends in a name in braces matches any non-empty continuation. */
function isOneOfTokens(words: string[], value: string): boolean {
  return words.some((word) => {
    const [stem = '', name] = word.split('{')
    return name === undefined ? value === word : value.startsWith(stem) && value.length > stem.length
  })
}

/**
 * Checks that no two items of the array agree in all the named members. Members that are not text have their own error.
 */
function uniqueBy(names: string[], items: unknown[], _schema?: unknown, context?: { instancePath: string }): boolean {
  const keys = new Set<string>()
  const errors: Partial<ErrorObject>[] = []
  for (const [index, item] of items.entries()) {
    const texts = names.map((name) => (item as Record<string, unknown> | null)?.[name])
    if (texts.some((text) => typeof text !== 'string')) continue
    const key = texts.join('\0') // no accepted text contains it
    const instancePath = `${context?.instancePath ?? ''}/${index}`
    if (keys.has(key)) errors.push({ keyword: 'uniqueBy', params: {}, schemaPath: '', instancePath, message: '' })
    keys.add(key)
  }
  ;(uniqueBy as { errors?: Partial<ErrorObject>[] }).errors = errors
  return errors.length === 0
}
