import type { Static, TSchema } from 'typebox'
import { type Column, type Fields, integer, oneOf, type RecordOf, type RowWith, time } from '../kernel/db/columns.ts'
import { compileRecord } from '../kernel/db/compile-record.ts'
import { table } from '../kernel/db/table.ts'
import { firstVersion, nextVersion, VERSION } from '../kernel/db/version.ts'
import { OneOf, record, TIMES } from '../kernel/http/schemas.ts'
import { type Change, recordedWrite } from './change.ts'

/** A field of a record: where it is stored and, unless it stays inside, how the API shows it. */
type Field = {
  readonly column: Column<unknown>
  readonly schema?: TSchema
  readonly example?: unknown
  /** Converts the stored value to the shown one, where they differ. */
  readonly present?: (value: never) => unknown
  /** Read from another table: neither inserted nor updated. */
  readonly isJoined?: true
}
type EntityFields = Readonly<Record<string, Field>>

/** A field that the API shows, with its example. */
export const field = <C extends Column<unknown>, S extends TSchema>(
  column: C,
  schema: S,
  example: NoInfer<Static<S>>,
  present?: (value: ReturnType<C['decode']>) => NoInfer<Static<S>>,
) => ({ column, schema, example, ...(present && { present }) })

/** A field that holds one of a list of words. */
export const choice = <const T extends string, Name extends string>(
  column: Name,
  allowed: readonly T[],
  example: NoInfer<T>,
  options: { description?: string } = {},
) => field(oneOf(column, allowed), OneOf(allowed, options), example)

/** A field that the API does not show. */
export const internal = <C extends Column<unknown>>(column: C) => ({ column })

/** A field that is read from a joined table with this alias. */
export const joined = <C extends Column<unknown>, S extends TSchema>(
  alias: string,
  column: C,
  schema: S,
  example: NoInfer<Static<S>>,
) => ({
  column: { ...column, select: () => `${alias}.${column.column}` },
  schema,
  example,
  isJoined: true as const,
})

type ColumnsOf<F extends EntityFields> = { [Name in keyof F]: F[Name]['column'] }
type InsertedOf<F extends EntityFields> = {
  [Name in keyof F as F[Name] extends { isJoined: true } ? never : Name]: F[Name]['column']
}

type SnakeCase<T extends string> = T extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : T
type PropertiesOf<F extends EntityFields> = {
  [Name in keyof F as F[Name] extends { schema: TSchema } ? SnakeCase<Name & string> : never]: F[Name] extends {
    schema: infer S extends TSchema
  }
    ? S
    : never
} & typeof TIMES

type Options<F> = {
  description: string
  /** The fields that find a row, in the order of the primary key. */
  key?: readonly (keyof F & string)[]
  /** Times with descriptions of their own. */
  times?: typeof TIMES
  /** When the example was made. */
  madeAt?: string
}

/** What a write of an entity leaves behind. */
type Recorded = Pick<Parameters<typeof recordedWrite>[0], 'history' | 'events' | 'linked'>

type WriteOf<Row> = Pick<Change<Row>, 'result' | 'write' | 'values'>

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const encodeJson = (value: unknown) => (value === null ? null : JSON.stringify(value))

/** The expression that reads a value to write from a member of `from`. */
const valueText = (member: string, name: string, { type }: Column<unknown>) => {
  const value = `from.${member}[${JSON.stringify(name)}]`
  return type === 'jsonb' ? `encodeJson(${value})` : value
}

/**
 * Defines a record once (ADR 0042): each field with its column, schema and example. The reads, the public record with its
 * version, the insert and the guarded updates follow. Names inside are camel case; the API's are the same in snake case.
 * `from` begins with the table and its alias and may join others. The first field is the id.
 */
export function entity<const F extends EntityFields>(from: string, name: string, fields: F, options: Options<F>) {
  const all = Object.entries(fields)
  const stored = all.filter(([, { isJoined }]) => !isJoined)
  const [tableName = '', alias = ''] = from.split(' ')
  const rows = table(from, { ...(columnsIn(all) as ColumnsOf<F>), ...VERSION })
  type Row = RecordOf<typeof rows>
  const schema = recordSchema<F>(name, all, options)
  const present = createPresenter(all) as (row: Row) => Static<typeof schema>
  const keys = (options.key ?? [all[0]?.[0] as string]).map(
    (field) => [field, (fields[field] as Field).column] as const,
  )
  const at = time('at')

  return {
    ...rows,
    schema,
    present,
    versionOf: (row: Row) => ({ record: present(row), revision: (row as { revision: number }).revision }),

    /** Creates the insert of a row; `also` are columns that no read returns. */
    insert<const A extends Fields | undefined = undefined>(
      statementName: string,
      { also, ...recorded }: Recorded & { also?: A } = {},
    ) {
      const added: Fields = also ?? {}
      const inserted = { ...columnsIn(stored), ...added }
      const write = recordedWrite({
        name: statementName,
        values: { ...inserted, at },
        insert: tableName,
        columns: `${columnList(inserted)}, created_at = :at, last_modified_at = :at`,
        ...recorded,
      })
      const values = compileRecord(
        [
          ...stored.map(([field, { column }]) => [column.column, valueText('row', field, column)] as const),
          ...Object.values(added).map(({ column }) => [column, `from.also[${JSON.stringify(column)}]`] as const),
          ['at', 'from.at'],
        ],
        { encodeJson },
      ) as (from: object) => Change<never>['values']
      return (
        row: Omit<Row, keyof typeof VERSION>,
        time: Date,
        ...[more]: A extends Fields ? [also: RowWith<A>] : []
      ): WriteOf<Row> => ({
        result: { ...row, ...firstVersion(time) } as Row,
        write,
        values: values({ row, also: more, at: time }),
      })
    },

    /** Creates the update of some fields, guarded by the revision that was read. */
    update<const Set extends keyof InsertedOf<F> & string>(
      statementName: string,
      set: readonly Set[],
      recorded: Recorded = {},
    ) {
      const changed = set.map((field) => [field, (fields[field] as Field).column] as const)
      const write = recordedWrite({
        name: statementName,
        values: { ...Object.fromEntries(keys), revision: integer('revision'), ...Object.fromEntries(changed), at },
        update: `${tableName} ${alias}`,
        key: keys.map(([, { column }]) => `${alias}.${column} = :${column}`).join(' and '),
        guard: `${alias}.revision = :revision`,
        set: [
          ...changed.map(([, { column }]) => `${column} = :${column}`),
          `revision = ${alias}.revision + 1`,
          'last_modified_at = :at',
        ].join(', '),
        ...recorded,
      })
      const values = compileRecord(
        [
          ...keys.map(([field, column]) => [column.column, valueText('row', field, column)] as const),
          ['revision', 'from.row.revision'],
          ...changed.map(([field, column]) => [column.column, valueText('change', field, column)] as const),
          ['at', 'from.at'],
        ],
        { encodeJson },
      ) as (from: object) => Change<never>['values']
      return <R extends Row & Parameters<typeof nextVersion>[0]>(
        row: R,
        change: Pick<Row, Set & keyof Row>,
        time: Date,
      ): WriteOf<R> => ({
        result: nextVersion({ ...row, ...change }, time),
        write,
        values: values({ row, change, at: time }),
      })
    },
  }
}

type FieldEntries = readonly (readonly [name: string, field: Field])[]

const columnsIn = (fields: FieldEntries): Fields =>
  Object.fromEntries(fields.map(([name, { column }]) => [name, column]))

const columnList = (fields: Fields) =>
  Object.values(fields)
    .map(({ column }) => column)
    .join(', ')

const publicFieldsIn = (fields: FieldEntries) => fields.filter(([, { schema }]) => schema !== undefined)

function recordSchema<F extends EntityFields>(
  name: string,
  fields: FieldEntries,
  { description, times = TIMES, madeAt = '2026-04-01T09:30:00' }: Options<F>,
) {
  const properties = Object.fromEntries(publicFieldsIn(fields).map(([field, { schema }]) => [snakeCase(field), schema]))
  const example = Object.fromEntries(publicFieldsIn(fields).map(([field, { example }]) => [snakeCase(field), example]))
  return record<PropertiesOf<F>>(name, { ...properties, ...times } as PropertiesOf<F>, {
    description,
    examples: [{ ...example, created_at: madeAt, last_modified_at: madeAt }],
  })
}

function createPresenter(fields: FieldEntries) {
  const publicFields = publicFieldsIn(fields)
  const presenters = Object.fromEntries(publicFields.map(([, { present }], index) => [`present${index}`, present]))
  const members = publicFields.map(([field, { present }], index) => {
    const value = `from[${JSON.stringify(field)}]`
    return [snakeCase(field), present ? `present${index}(${value})` : value] as const
  })
  const times = ['createdAt', 'lastModifiedAt'].map((field) => [snakeCase(field), `from.${field}`] as const)
  return compileRecord([...members, ...times], presenters)
}
