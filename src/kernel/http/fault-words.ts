import type { ErrorObject } from 'ajv'
import type { Fault } from '../refusal.ts'

/** A code and a sentence for the public. They describe the rule, never the value. */
type Words = Omit<Fault, 'pointer'>

export const BIRTH_MIN = '1900-01-01'
/** Further out, counting the months of a term leaves the years that a day can be written in. */
export const DAY_MIN = '1900-01-01'
export const DAY_MAX = '2999-12-31'

export const UNKNOWN: Words = { code: 'unknown', detail: 'Is not known here.' }

export const UNSTORABLE: Words = { code: 'unstorable_text', detail: 'Holds U+0000 or half of a surrogate pair.' }

export const tooMany = (limit: number | string): Words => ({
  code: 'too_many',
  detail: `Must have at most ${limit} entries.`,
})

const FORMATS: Record<string, string> = {
  email: 'Must be an email address.',
  'calendar-day': `Must be a real calendar day, YYYY-MM-DD, from ${DAY_MIN} to ${DAY_MAX}.`,
  'birth-day': `Must be a real calendar day, YYYY-MM-DD, from ${BIRTH_MIN} to today.`,
}

/** The words for a failed keyword, of which `rule` is the value in the schema. */
export function wordsOf({ keyword, params }: ErrorObject, rule: unknown): Words {
  const limit = String(rule)
  switch (keyword) {
    case 'required':
      return { code: 'required', detail: 'Must be there.' }
    case 'additionalProperties':
      return UNKNOWN
    case 'type':
      return { code: 'type', detail: `Must be of type ${[rule].flat().join(' or ')}.` }
    case 'enum':
    case 'const':
    case 'token':
      return { code: 'not_allowed', detail: `Must be one of: ${[rule].flat().join(', ')}.` }
    case 'minLength':
      return { code: 'too_short', detail: `Must have at least ${limit} characters.` }
    case 'maxLength':
      return { code: 'too_long', detail: `Must have at most ${limit} characters.` }
    case 'minItems':
      return { code: 'too_few', detail: `Must have at least ${limit} entries.` }
    case 'maxItems':
      return tooMany(limit)
    case 'minimum':
    case 'exclusiveMinimum':
      return { code: 'too_small', detail: `Must be ${params['comparison']} ${limit}.` }
    case 'maximum':
      return { code: 'too_large', detail: `Must be ${params['comparison']} ${limit}.` }
    case 'format':
      return { code: 'format', detail: FORMATS[String(rule)] ?? 'Does not have the form it must have.' }
    case 'pattern':
      return { code: 'format', detail: 'Does not have the form it must have.' }
    case 'uniqueItems':
    case 'uniqueBy':
      return { code: 'duplicate', detail: 'Is the same as an entry before it.' }
    case 'requiresOneOf':
      return { code: 'required', detail: `Must have at least one of: ${[rule].flat().join(', ')}.` }
    case 'paisePrecision':
      return { code: 'format', detail: 'Must have at most two decimals.' }
    default:
      return { code: 'not_allowed', detail: 'Is not allowed here.' }
  }
}
