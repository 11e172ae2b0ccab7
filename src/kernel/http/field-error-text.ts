import type { ErrorObject } from 'ajv'
import type { FieldError } from '../problem-error.ts'

/** A code and a public sentence. They describe the rule, never the value. */
type ErrorText = Omit<FieldError, 'pointer'>

/** The keywords at one location of a schema. */
type Rules = Record<string, unknown>

export const UNKNOWN: ErrorText = { code: 'unknown', detail: 'Unknown name. Check the spelling, or remove it.' }

export const UNSTORABLE: ErrorText = {
  code: 'unstorable_text',
  detail: 'Contains U+0000 or an unpaired surrogate. Remove it.',
}

const MISSING: ErrorText = { code: 'required', detail: 'Required.' }

const count = (limit: unknown, noun: string, plural: string) => `${String(limit)} ${limit === 1 ? noun : plural}`

export const tooMany = (limit: unknown): ErrorText => ({
  code: 'too_many',
  detail: `Must have at most ${count(limit, 'entry', 'entries')}.`,
})

const TYPES: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

/**
 * Returns the code and sentence for a failed keyword. The sentence for a pattern comes from `words` alongside it in the
 * schema, because only the schema knows what is meant.
 */
export function describeError({ keyword }: ErrorObject, rules: Rules): ErrorText {
  const rule = rules[keyword]
  switch (keyword) {
    case 'required':
      return MISSING
    case 'additionalProperties':
      return UNKNOWN
    case 'type':
      return { code: 'type', detail: `Must be ${joinRules(rule, (type) => TYPES[type] ?? type).join(' or ')}.` }
    case 'enum':
    case 'const':
    case 'token':
      return { code: 'not_allowed', detail: `Must be one of: ${joinRules(rule).join(', ')}.` }
    case 'minLength':
      return { code: 'too_short', detail: `Must have at least ${count(rule, 'character', 'characters')}.` }
    case 'maxLength':
      return { code: 'too_long', detail: `Must have at most ${count(rule, 'character', 'characters')}.` }
    case 'minItems':
      return { code: 'too_few', detail: `Must have at least ${count(rule, 'entry', 'entries')}.` }
    case 'maxItems':
      return tooMany(rule)
    case 'minimum':
      return { code: 'too_small', detail: `Must be ${String(rule)} or more.` }
    case 'exclusiveMinimum':
      return { code: 'too_small', detail: `Must be more than ${String(rule)}.` }
    case 'maximum':
      return { code: 'too_large', detail: `Must be ${String(rule)} or less.` }
    case 'format':
    case 'pattern':
    case 'dayRange':
      return { code: 'format', detail: describeRule(rules) }
    case 'uniqueItems':
    case 'uniqueBy':
      return { code: 'duplicate', detail: 'Repeats an earlier entry. Send each entry once.' }
    case 'requiresOneOf':
      return { code: 'required', detail: `Must have at least one of: ${joinRules(rule).join(', ')}.` }
    case 'utcTime':
      return { code: 'format', detail: 'Must be a UTC time such as 2026-04-01T00:00:00.' }
    case 'paisePrecision':
      return { code: 'format', detail: 'Must have at most two decimals.' }
    default:
      return { code: 'not_allowed', detail: 'Not allowed here. Remove it.' }
  }
}

const describeRule = ({ words, pattern, format }: Rules) =>
  typeof words === 'string' ? words : `Must match: ${joinRules(pattern ?? format).join(' ')}`

const joinRules = (rule: unknown, word = (value: string) => value) => [rule].flat().map((value) => word(String(value)))
