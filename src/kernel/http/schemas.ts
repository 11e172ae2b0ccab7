import {
  type Static,
  type TNull,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from 'typebox'
import { TODAY } from './keywords.ts'

/** A form that text must have, and the words for whoever got it wrong: what it is, with an example. */
type TextFormat = { pattern: string; words: string }

/** C0 and C1 control characters and DEL, and other white space, as they stand in a class of a pattern. */
const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f'
const BLANK = ' \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'

/** No control character: what a one-line field may not hold. */
const NO_CONTROL: TextFormat = {
  pattern: `^[^${CONTROL}]*$`,
  words: 'Must be one line without control characters such as tabs or line breaks.',
}
/** The same, and not blanks only. It matches in one way alone, so that a long text is no work. */
const NAMING: TextFormat = {
  pattern: `^(?:[${BLANK}]*[^${BLANK}${CONTROL}][^${CONTROL}]*)?$`,
  words: 'Must be one line that is not blank, without control characters such as tabs or line breaks.',
}
/** Line breaks and tabs are allowed, other control characters are not. */
const NO_CONTROL_BUT_LINES: TextFormat = {
  pattern: '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$',
  words: 'Must not contain control characters except line breaks and tabs.',
}

const REASON_MAX = 500

type TextOptions = {
  minLength?: number
  maxLength?: number
  description?: string
  examples?: string[]
} & (TextFormat | { pattern?: never })

/** Text of a form of its own, such as a tax number. */
export const Formed = (options: TextFormat & { description?: string; examples: string[] }) => Type.String(options)

/** One line of text in any script, 1 to 200 characters unless said otherwise. */
export const Text = (options: TextOptions = {}) =>
  Type.String({ minLength: 1, maxLength: 200, ...NO_CONTROL, ...options })

/** The name of somebody or something. */
export const Name = () => Text(NAMING)

/** Text that may hold line breaks. */
export const Lines = (options: TextOptions & { maxLength: number }) =>
  Type.String({ minLength: 1, ...NO_CONTROL_BUT_LINES, ...options })

/** An opaque identifier of ours in an address. */
export const PathId = (description: string) => Text({ maxLength: 100, description })

const FIRST_DAY = '1900-01-01'
/** Further out, counting the months of a term leaves the years that a day can be written in. */
const LAST_DAY = '2999-12-31'

const dayBetween = (first: string, last: string) => ({
  format: 'date',
  dayRange: [first, last],
  words: `Must be a valid date, YYYY-MM-DD, from ${first} to ${last}.`,
})

/** A calendar day. */
export const DayText = (options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ ...dayBetween(FIRST_DAY, LAST_DAY), examples: ['2026-04-01'], ...options })

/** A day of birth: from 1900-01-01 to today in India. */
export const BirthDay = (description = 'Date of birth') =>
  Type.String({ ...dayBetween(FIRST_DAY, TODAY), description, examples: ['1990-05-17'] })

/** A point in time on the wire: UTC without offset. */
export const Timestamp = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
    description: `${description} (UTC, written without a zone)`,
    examples: ['2026-04-01T09:30:00'],
  })

/** When a record was made and last changed. */
export const TIMES = {
  created_at: Timestamp('Time of creation'),
  last_modified_at: Timestamp('Time of the last change'),
}

const EMAIL = {
  format: 'idn-email',
  words: 'Must be an email address such as asha@example.com.',
  examples: ['asha@example.com'],
}

export const Email = (options: { description?: string } = {}) => Type.String({ ...EMAIL, maxLength: 254, ...options })

/** An optional member that takes `null` as absent, because a record shows it so and what was read can be sent back. */
export const OrNull = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T>>({ ...withNull(schema), nullIsAbsent: true }))

/** Described as the schema is. */
export const Nullable = <T extends TSchema>(schema: T) => {
  const { description } = schema as { description?: string }
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}

/** A field that a merge patch takes away by `null`. */
export const Removable = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T> | null>(withNull(schema))

/** The schema, taking `null` too. Not a union: of that, each branch would tell its own error. */
function withNull(schema: TSchema): object {
  const { type, enum: words } = schema as { type?: string | string[]; enum?: unknown[] }
  return { ...schema, type: [type ?? [], 'null'].flat(), ...(words && { enum: [...words, null] }) }
}

type Presented<T extends TProperties> = {
  [Name in keyof T]: T[Name] extends TOptional ? TUnion<[T[Name], TNull]> : T[Name]
}

/** The fields of a form as its record shows them: what a form may leave out is `null` there (completion 1). */
export const shown = <T extends TProperties>(fields: T) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.IsOptional(schema) ? Nullable(schema) : schema]),
  ) as Presented<T>

/** One of a list of words; the list is written once, beside the state table it comes from. */
export const OneOf = <const T extends string>(words: readonly T[], options: { description?: string } = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...words], ...options })

type Tagged = TObject<Record<string, TSchema>>

/**
 * One of several shapes, told apart by the member `tag`, which each of them has as a literal. The tag is looked at by itself, so
 * that a wrong one is one error; then only the shape that it names.
 */
export const oneOfKinds = <const T extends readonly Tagged[]>({ tag, kinds, options }: OneOfKinds<T>) =>
  Type.Unsafe<Static<T[number]>>({
    type: 'object',
    required: [tag],
    properties: { [tag]: OneOf(kinds.map(({ properties }) => String((properties[tag] as { const?: string }).const))) },
    discriminator: { propertyName: tag },
    oneOf: kinds,
    ...options,
  })

type OneOfKinds<T> = { tag: string; kinds: T; options: { title: string; description: string } }

/** What asks for a change of a status. */
export const StatusInput = <const T extends string>(statuses: readonly T[], example: NoInfer<T>) =>
  Type.Object(
    { status: OneOf(statuses), reason: Type.Optional(Lines({ maxLength: REASON_MAX })) },
    { examples: [{ status: example }] },
  )

type StatusExample<T> = { id: string; status: T; next_move_on: string | null; allowed_transitions: T[] }

/** Where a thing is whose own record shows no status; both reading and changing the status answer it. */
export const statusRecord = <const T extends string>(
  name: string,
  statuses: readonly T[],
  { description, example }: { description: string; example: StatusExample<NoInfer<T>> },
) =>
  record(
    name,
    {
      id: Type.String(),
      status: OneOf(statuses),
      since: Timestamp('Time of the last transition'),
      grace_until: Nullable(DayText({ description: 'Last day of grace; the policy expires after it' })),
      next_move_on: Nullable(DayText({ description: 'Day of the next transition by the calendar' })),
      allowed_transitions: Type.Array(OneOf(statuses), { description: 'States that this caller can set' }),
    },
    { description, examples: [{ since: '2026-04-01T10:00:00', grace_until: null, ...example }] },
  )

/** A schema with a name of its own in the OpenAPI document. */
export const record = <T extends TProperties>(
  name: string,
  properties: T,
  options: { examples?: unknown[]; description?: string } = {},
) => Type.Object(properties, { $id: name, ...options })

/** Refers to a named schema, keeping its type. */
export const ref = <T extends TSchema>(schema: T) => {
  const name = (schema as { $id?: string }).$id
  if (!name) throw new Error('only a named schema can be referred to')
  return Type.Unsafe<Static<T>>({ $ref: `${name}#` })
}
