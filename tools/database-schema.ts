import pg from 'pg'
import { SCHEMA } from '../src/kernel/db/session.ts'

/** Maintained by the migrator itself, and the same in every version. */
const MIGRATIONS_TABLE = 'migrations'

type Table = {
  name: string
  comment: string | null
  /** Replication finds a row by all its columns. */
  isFoundWhole: boolean
  columns: Column[]
  constraints: Constraint[]
  indexes: string[]
}
type Column = { name: string; type: string; nullable: boolean; generated: string | null; expression: string | null }
type Constraint = { name: string; kind: 'p' | 'u' | 'c' | 'f' | 'x'; definition: string }

// Everything is sorted by name in the C collation (columns by position), so that the output is deterministic.
const TABLES = `
  select c.relname as name, obj_description(c.oid, 'pg_class') as comment, c.relreplident = 'f' as "isFoundWhole",
         (select json_agg(json_build_object(
                   'name', a.attname,
                   'type', format_type(a.atttypid, a.atttypmod),
                   'nullable', not a.attnotnull,
                   'generated', nullif(concat(a.attidentity, a.attgenerated), ''),
                   'expression', pg_get_expr(d.adbin, d.adrelid)) order by a.attnum)
            from pg_attribute a
            left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
           where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
         (select coalesce(json_agg(json_build_object(
                   'name', k.conname, 'kind', k.contype, 'definition', pg_get_constraintdef(k.oid))
                   order by position(k.contype::text in 'pucxf'), k.conname collate "C"), '[]')
            from pg_constraint k
           where k.conrelid = c.oid and k.contype in ('p', 'u', 'c', 'f', 'x')) as constraints,
         (select coalesce(json_agg(pg_get_indexdef(i.indexrelid) order by x.relname collate "C"), '[]')
            from pg_index i
            join pg_class x on x.oid = i.indexrelid
           where i.indrelid = c.oid
             and not exists (
                   select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
         ) as indexes
    from pg_class c
   where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and c.relname <> $2
   order by c.relname collate "C"`

/** True for a function that the default of a column calls. */
const IS_IN_DEFAULT = `exists (select from pg_depend d
                  where d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid and d.classid = 'pg_attrdef'::regclass)`

const FUNCTIONS_FIRST = `
  select pg_get_functiondef(p.oid) as definition
    from pg_proc p
   where p.pronamespace = $1::regnamespace and ${IS_IN_DEFAULT}
   order by 1`

const OTHERS = `
  select pg_get_functiondef(p.oid) as definition
    from pg_proc p
   where p.pronamespace = $1::regnamespace and p.prokind in ('f', 'p') and not ${IS_IN_DEFAULT}
   union all
  select pg_get_triggerdef(t.oid)
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
   where c.relnamespace = $1::regnamespace and not t.tgisinternal
   union all
  select 'create view ' || c.relname || ' as' || E'\\n' || pg_get_viewdef(c.oid)
    from pg_class c
   where c.relnamespace = $1::regnamespace and c.relkind in ('v', 'm')
   order by 1`

const HEADER = `-- What the migrations add up to. Made by \`npm run generate\`; never edited.
-- Tables by name; foreign keys last, because tables come before what points at them.
`

/** Returns every table, key, check and index of the database at this URL, as SQL that would create them again. */
export async function databaseSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${SCHEMA}` })
  await client.connect()
  try {
    const { rows: tables } = await client.query<Table>(TABLES, [SCHEMA, MIGRATIONS_TABLE])
    const { rows: first } = await client.query<{ definition: string }>(FUNCTIONS_FIRST, [SCHEMA])
    const { rows: others } = await client.query<{ definition: string }>(OTHERS, [SCHEMA])
    const parts = [
      HEADER,
      ...first.map(printOther),
      ...tables.map(printTable),
      ...tables.flatMap(printForeignKeys),
      ...others.map(printOther),
    ]
    return parts.join('\n')
  } finally {
    await client.end()
  }
}

const printOther = ({ definition }: { definition: string }) => `${definition.trimEnd().replace(/;$/, '')};\n`

function printTable({ name, comment, isFoundWhole, columns, constraints, indexes }: Table): string {
  const width = Math.max(...columns.map((column) => column.name.length))
  const lines = [
    ...columns.map((column) => `${column.name.padEnd(width)} ${printColumn(column)}`),
    ...constraints
      .filter(({ kind }) => kind !== 'f')
      .map((constraint) => `constraint ${constraint.name} ${lowerCase(constraint.definition)}`),
  ]
  const table = `create table ${name} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);\n`
  const described = comment === null ? '' : `comment on table ${name} is '${comment}';\n`
  const identified = isFoundWhole ? `alter table ${name} replica identity full;\n` : ''
  return table + described + identified + indexes.map((definition) => `${printIndex(definition)};\n`).join('')
}

/** How a column gets its value, by PostgreSQL's letter; without one, a default if any. */
const GENERATED: Record<string, (expression: string | null) => string> = {
  a: () => ' generated always as identity',
  d: () => ' generated by default as identity',
  s: (expression) => ` generated always as (${expression}) stored`,
  v: (expression) => ` generated always as (${expression})`,
}

function printColumn({ type, nullable, generated, expression }: Column): string {
  const byDefault = expression === null ? '' : ` default ${expression}`
  const value = generated === null ? byDefault : (GENERATED[generated]?.(expression) ?? '')
  return `${type.replace('timestamp with time zone', 'timestamptz')}${nullable ? '' : ' not null'}${value}`
}

const printForeignKeys = ({ name, constraints }: Table): string[] => {
  const keys = constraints.filter(({ kind }) => kind === 'f')
  if (keys.length === 0) return []
  const lines = keys.map((key) => `  add constraint ${key.name} ${lowerCase(key.definition)}`)
  return [`alter table ${name}\n${lines.join(',\n')};\n`]
}

const printIndex = (definition: string) =>
  lowerCase(definition).replace(' using btree ', ' ').replace(` on ${SCHEMA}.`, ' on ')

/** Lower-cases PostgreSQL's keywords, but not quoted text. */
function lowerCase(sql: string): string {
  return sql
    .split(/('(?:[^']|'')*')/)
    .map((part, index) => (index % 2 === 0 ? part.toLowerCase() : part))
    .join('')
}
