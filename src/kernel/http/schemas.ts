import { type Static, type TNull, type TOptional, type TProperties, type TSchema, type TUnion, Type } from 'typebox'

/** No C0 or C1 control character, no DEL: what a one-line field may not hold. */
const NO_CONTROL = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'
/** The same with line breaks and tabs allowed. */
const NO_CONTROL_BUT_LINES = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$'

const REASON_MAX = 500

type TextOptions = {
  minLength?: number
  maxLength?: number
  description?: string
  examples?: string[]
  pattern?: string
}

/** One line of text in any script, 1 to 200 characters unless said otherwise. */
export const Text = (options: TextOptions = {}) =>
  Type.String({ minLength: 1, maxLength: 200, pattern: NO_CONTROL, ...options })

/** Text that may hold line breaks. */
export const Lines = (options: TextOptions & { maxLength: number }) =>
  Type.String({ minLength: 1, pattern: NO_CONTROL_BUT_LINES, ...options })

/** An opaque identifier of ours in an address. */
export const PathId = (description: string) => Text({ maxLength: 100, description })

/** A calendar day. */
export const DayText = (options: { description?: string; examples?: string[] } = {}) =>
  Type.String({ format: 'calendar-day', examples: ['2026-04-01'], ...options })

/** A day of birth: from 1900-01-01 to today in India. */
export const BirthDay = (description = 'Date of birth') =>
  Type.String({ format: 'birth-day', description, examples: ['1990-05-17'] })

/** A point in time on the wire: UTC without offset. */
export const Timestamp = (description: string) =>
  Type.String({ description: `${description} (UTC)`, examples: ['2026-04-01T09:30:00'] })

/** When a record was made and last changed. */
export const TIMES = {
  created_at: Timestamp('When it was made'),
  last_modified_at: Timestamp('When it was last changed'),
}

export const Email = (options: { description?: string } = {}) =>
  Type.String({ format: 'email', maxLength: 254, examples: ['asha@example.com'], ...options })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

type Shown<T extends TProperties> = {
  [Name in keyof T]: T[Name] extends TOptional ? TUnion<[T[Name], TNull]> : T[Name]
}

/** The fields of a form as its record shows them: what a form may leave out is `null` there (completion 1). */
export const shown = <T extends TProperties>(fields: T) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.IsOptional(schema) ? Nullable(schema) : schema]),
  ) as Shown<T>

/** One of a list of words; the list is written once, beside the state table it comes from. */
export const OneOf = <const T extends string>(words: readonly T[], options: { description?: string } = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...words], ...options })

/** What asks for a change of a status. */
export const StatusForm = <const T extends string>(statuses: readonly T[], example: NoInfer<T>) =>
  Type.Object(
    { status: OneOf(statuses), reason: Type.Optional(Text({ maxLength: REASON_MAX })) },
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
      since: Timestamp('When it came into this status'),
      grace_until: Nullable(DayText({ description: 'The last day on which it can still be kept' })),
      next_move_on: Nullable(DayText({ description: 'The day on which the calendar changes the status next' })),
      allowed_transitions: Type.Array(OneOf(statuses), { description: 'Where this caller may lead it' }),
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
