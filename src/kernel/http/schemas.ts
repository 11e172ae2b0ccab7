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

/** A pattern for text, and the error sentence: what is expected, with an example. */
type TextFormat = { pattern: string; words: string }

/** C0 and C1 control characters and DEL, as a part of a character class, in escapes that no language reads differently. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f'

/** For one-line fields: no control characters. */
const NO_CONTROL: TextFormat = {
  pattern: `^[^${CONTROL}]*$`,
  words: 'Must be one line without control characters such as tabs or line breaks.',
}
/** Not blanks only, too. Matches unambiguously, so that long texts are not slow. */
const NAMING: TextFormat = {
  pattern: `^(?:[^\\S${CONTROL}]*[^\\s${CONTROL}][^${CONTROL}]*)?$`,
  words: 'Must be one line that is not blank, without control characters such as tabs or line breaks.',
}
/** Allows line breaks and tabs, no other control characters. */
export const NO_CONTROL_BUT_LINES: TextFormat = {
  pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$',
  words: 'Must not contain control characters except line breaks and tabs.',
}

export const REASON_MAX = 500

type TextOptions = {
  maxLength?: number
  description?: string
  examples?: string[]
} & (TextFormat | { pattern?: never })

/** Text with its own pattern, such as a tax number. */
export const Formed = (options: TextFormat & { description?: string; examples: string[] }) => Type.String(options)

/** One line of text in any script, 1 to 200 characters by default. */
export const Text = (options: TextOptions = {}) =>
  Type.String({ minLength: 1, maxLength: 200, ...NO_CONTROL, ...options })

/** The name of a person or an object. */
export const Name = () => Text(NAMING)

/** Text that may hold line breaks. */
export const Lines = (options: TextOptions & { maxLength: number }) =>
  Type.String({ minLength: 1, ...NO_CONTROL_BUT_LINES, ...options })

/** An opaque identifier in a path. */
export const PathId = (description: string) => Text({ maxLength: 100, description })

/** An amount on the wire of wallets. */
export const PaiseAmount = (options: { minimum?: number; maximum?: number } = {}) =>
  Type.Integer({ ...options, description: 'Paise', paise: true })

const FIRST_DAY = '1900-01-01'
/** Later days plus the months of a term could exceed the four-digit years. */
const LAST_DAY = '2999-12-31'

const dayBetween = (first: string, last: string) => ({
  format: 'date',
  dayRange: [first, last],
  words: `Must be a valid date, YYYY-MM-DD, from ${first} to ${last}.`,
})

export const DayText = (options: { description?: string } = {}) =>
  Type.String({ ...dayBetween(FIRST_DAY, LAST_DAY), examples: ['2026-04-01'], ...options })

/** A day from 1900-01-01 to today in India. */
export const PastDay = (options: { description: string; examples: string[] }) =>
  Type.String({ ...dayBetween(FIRST_DAY, TODAY), ...options })

/** A point in time on the wire: UTC without offset. */
export const Timestamp = (description: string) =>
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
    description: `${description} (UTC, written without a zone)`,
    examples: ['2026-04-01T09:30:00'],
  })

/** A point in time in a request, in UTC; `timeFrom` parses it. */
export const UtcTime = (description: string, example = '2026-04-01T00:00:00') =>
  Type.String({ maxLength: 30, utcTime: true, description, examples: [example] })

/** Creation and modification times of a record. */
export const TIMES = {
  created_at: Timestamp('Time of creation'),
  last_modified_at: Timestamp('Time of the last change'),
}

export const Email = () =>
  Type.String({
    format: 'idn-email',
    words: 'Must be an email address such as asha@example.com.',
    examples: ['asha@example.com'],
    maxLength: 254,
  })

/**
 * An optional member that accepts `null` as absent: records show absent members as `null`, and a record that was read
 * can be sent back.
 */
export const OrNull = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Unsafe<Static<T>>({ ...withNull(schema), nullIsAbsent: true }))

export const Nullable = <T extends TSchema>(schema: T) => {
  const { description } = schema as { description?: string }
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
}

/** A field that a merge patch removes with `null`. */
export const Removable = <T extends TSchema>(schema: T) => Type.Unsafe<Static<T> | null>(withNull(schema))

/** The schema, accepting `null` too. Not a union, whose branches would each report an error. */
function withNull(schema: TSchema): object {
  const { type, enum: words } = schema as { type?: string | string[]; enum?: unknown[] }
  return { ...schema, type: [type ?? [], 'null'].flat(), ...(words && { enum: [...words, null] }) }
}

type Presented<T extends TProperties> = {
  [Name in keyof T]: T[Name] extends TOptional ? TUnion<[T[Name], TNull]> : T[Name]
}

/** Converts the fields of an input to those of its record: optional ones are `null` there: `docs/partners/values.md#requests`. */
export const asRecord = <T extends TProperties>(fields: T) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.IsOptional(schema) ? Nullable(schema) : schema]),
  ) as Presented<T>

/** One of a list of words; the list is defined once, alongside its state table. */
export const OneOf = <const T extends string>(words: readonly T[], options: { description?: string } = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...words], ...options })

type Tagged = TObject<Record<string, TSchema>>

/**
 * One of several shapes, discriminated by the literal member `tag`. The tag is validated first, so that a wrong one is
 * a single error; then only the shape it names.
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

/** The request body of a status change. */
export const StatusInput = <const T extends string>(statuses: readonly T[], example: NoInfer<T>) =>
  Type.Object(
    { status: OneOf(statuses), reason: OrNull(Lines({ maxLength: REASON_MAX })) },
    { examples: [{ status: example }] },
  )

/** Schemas with a component name, by name. */
const named = new Map<string, object>()

/** A schema with a component name in the OpenAPI document. */
export function record<T extends TProperties>(
  name: string,
  properties: T,
  options: { examples?: unknown[]; description?: string } = {},
): TObject<T> {
  const schema = Type.Object(properties, { $id: name, ...options })
  named.set(name, schema)
  return schema
}

/** References a named schema, keeping its type. */
export const ref = <T extends TSchema>(schema: T) => {
  const name = (schema as { $id?: string }).$id
  if (!name) throw new Error('only a named schema can be referenced')
  return Type.Unsafe<Static<T>>({ $ref: `${name}#` })
}

/** Adds the named schemas that a schema references to those found before, by name. */
export function namedIn(schema: unknown, schemas: Map<string, object>): void {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"\$ref":"([^"#]+)#"/g)) {
    const namedSchema = named.get(name)
    if (!namedSchema || schemas.has(name)) continue
    schemas.set(name, namedSchema)
    namedIn(namedSchema, schemas)
  }
}
