import type pg from 'pg'
import { table } from '../../tools/reference/markdown.ts'

/** A table or an index. `scans` counts its uses since the statistics were reset. */
export type Size = { table: string; index: string | null; bytes: number; scans: number; isUnique: boolean }

/** Smaller ones are left out of the report. */
const BYTES_A_USER_MIN = 1

const SIZES = `
  select c.relname as "table", null as index, pg_table_size(c.oid)::float8 as bytes,
         coalesce(s.seq_scan, 0)::int as scans, false as "isUnique"
    from pg_class c
    left join pg_stat_user_tables s on s.relid = c.oid
   where c.relnamespace = 'banyan'::regnamespace and c.relkind = 'r'
  union all
  select t.relname, i.relname, pg_relation_size(i.oid)::float8, coalesce(s.idx_scan, 0)::int, x.indisunique
    from pg_index x
    join pg_class t on t.oid = x.indrelid
    join pg_class i on i.oid = x.indexrelid
    left join pg_stat_user_indexes s on s.indexrelid = i.oid
   where t.relnamespace = 'banyan'::regnamespace
   order by 1, 2 nulls first`

export async function readSizes(client: pg.Client): Promise<Size[]> {
  const { rows } = await client.query<Size>(SIZES)
  return rows
}

export function sizesReport(sizes: Size[], users: number): string {
  const large = sizes.filter(({ bytes }) => bytes / users >= BYTES_A_USER_MIN)
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  const rows = [...Map.groupBy(large, ({ table }) => table)]
    .map(([table, parts]) => ({ table, parts, sum: parts.reduce((sum, { bytes }) => sum + bytes, 0) }))
    .toSorted((one, other) => other.sum - one.sum)
    .map(({ table, parts, sum }) => [
      table,
      perUser(sum, users),
      perUser(parts.find(({ index }) => index === null)?.bytes ?? 0, users),
      parts.flatMap(({ index, bytes }) => (index === null ? [] : `${index} ${perUser(bytes, users)}`)).join(', '),
    ])
  const unused = large.filter(({ index, scans, isUnique }) => index !== null && scans === 0 && !isUnique)
  return [
    table(['bytes a user', 'all', 'rows', 'indexes'], rows),
    '',
    `All: ${perUser(total, users)} bytes a user, ${(total / 2 ** 30).toFixed(1)} GiB.`,
    `The indexes were built after the rows; those that grow with them hold more room.\nThose that none of these requests used, unique ones left out: ${unused.map(({ index }) => index).join(', ') || 'none'}.`,
  ].join('\n')
}

const perUser = (bytes: number, users: number) => (bytes / users).toFixed(0)
