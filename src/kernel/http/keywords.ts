import { Ajv, type ErrorObject, type KeywordDefinition } from 'ajv'
import ajvFormats from 'ajv-formats'
import { domainToASCII } from 'node:url'
import { type Clock, todayIn } from '../clock.ts'
import { isDay } from '../date.ts'
import { hasPaisePrecision } from '../money.ts'

/** The day on which a check is made, as the end of a `dayRange`. */
export const TODAY = 'today'

/** What schemas of ours say beyond JSON Schema. */
const keywordsOf = (clock: Clock): KeywordDefinition[] => [
  /** Says to whoever got a form wrong what it is; `wordsOf` hands it out. */
  { keyword: 'words', schemaType: 'string' },
  /** Null means that nothing was sent; `knownMembers` leaves it out before anything else looks. */
  { keyword: 'nullIsAbsent', schemaType: 'boolean' },
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
    keyword: 'dayRange',
    type: 'string',
    schemaType: 'array',
    validate: ([first = '', last = '']: string[], day: string) =>
      day >= first && day <= (last === TODAY ? todayIn(clock) : last),
  },
]

/** Letters, marks and signs beyond ASCII, and the two that join them or do not; no blanks, nothing invisible else. */
const FOREIGN = /[^\p{ASCII}\p{Z}\p{C}]|[\u200c\u200d]/gu
/** No longer than a domain can be: its ASCII form costs the square of its length. */
const FOREIGN_DOMAIN = /^(?=.*\P{ASCII})[\p{L}\p{M}\p{N}\u200c-\u200d.-]{1,253}$/u

const NO_CLOCK: Clock = { now: () => new Date(0) }

/** Their names. Other tools do not know them, so the OpenAPI document shows them with `x-` in front. */
export const PRIVATE_KEYWORDS: readonly string[] = keywordsOf(NO_CLOCK).flatMap(({ keyword }) => keyword)

/** What checks input: every error at once, nothing converted, left out or filled in. */
export function newAjv(clock: Clock): Ajv {
  const ajv = new Ajv({
    allErrors: true, // of what `knownMembers` has left: their number is bounded by the schema
    strict: false,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    discriminator: true,
  })
  ajvFormats.default(ajv, { formats: ['email'], mode: 'full' })
  const ascii = ajv.formats['email'] as RegExp
  ajv.addFormat('idn-email', (text: string) => ascii.test(asciiEmail(text)))
  ajv.addFormat('date', isDay)
  ajv.addVocabulary(keywordsOf(clock))
  return ajv
}

/** An email address of any script (RFC 6531) as one of ASCII, which is well-formed if and only if it is. */
const asciiEmail = (text: string) =>
  text
    .split('@')
    .map((part, index) => (index === 0 ? part.replaceAll(FOREIGN, 'x') : asciiDomain(part)))
    .join('@')

const asciiDomain = (domain: string) => (FOREIGN_DOMAIN.test(domain) ? domainToASCII(domain) : domain)

/** True for the word itself; a word that ends in a name in braces stands for all that go on with something. */
function isOneOfTokens(words: string[], value: string): boolean {
  return words.some((word) => {
    const [stem = '', name] = word.split('{')
    return name === undefined ? value === word : value.startsWith(stem) && value.length > stem.length
  })
}

/** No two items of the array may agree in all the named members. What is not text there has an error of its own. */
function uniqueBy(names: string[], items: unknown[], _schema?: unknown, place?: { instancePath: string }): boolean {
  const seen = new Set<string>()
  const errors: Partial<ErrorObject>[] = []
  for (const [index, item] of items.entries()) {
    const texts = names.map((name) => (item as Record<string, unknown> | null)?.[name])
    if (texts.some((text) => typeof text !== 'string')) continue
    const key = JSON.stringify(texts)
    const instancePath = `${place?.instancePath ?? ''}/${index}`
    if (seen.has(key)) errors.push({ keyword: 'uniqueBy', params: {}, schemaPath: '', instancePath, message: '' })
    seen.add(key)
  }
  ;(uniqueBy as { errors?: Partial<ErrorObject>[] }).errors = errors
  return errors.length === 0
}
