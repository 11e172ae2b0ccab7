import { setTimeout as sleep } from 'node:timers/promises'
import { type SealedAddress, type SealedColumn, UnreadableError } from '../kernel/crypto/sealed-column.ts'
import type { DataKey, Vault } from '../kernel/crypto/vault.ts'
import { isCluster } from '../kernel/cluster/cluster.ts'
import { onlyRow, type Queryable, type Statement, statement } from '../kernel/db/database.ts'

const ROWS_AT_ONCE = 500
/** Locked rows are skipped, and retried this often. */
const RETRIES_MAX = 20
const PAUSE_MS = 250

/** The tables with data keys that seal columns, and their keys. */
export const OWNERS = {
  users: 'user_id',
  sponsors: 'sponsor_id',
  administrators: 'administrator_id',
  webhook_endpoints: 'endpoint_id',
  imports: 'upload_id',
} as const

type Key = Record<string, string>

type Location<At, Name extends string> = {
  /** The table of the data key, and the column here that refers to it, if it has another name there. */
  owner: keyof typeof OWNERS
  ownerId?: string
  /** The primary key, in order. */
  key: readonly Name[]
  /** What the value is bound to. */
  at: (key: Record<Name, string>) => At
  /** SQL: which rows `t` have a sealed value, where others have plain text. */
  where?: string
}

/** A sealed column with the statements that walk through its rows. */
export type SealedRows = {
  column: string
  formats: number
  statements: Record<'count' | 'list' | 'left', Statement> & Replacing
  keyOf: (row: Key) => string[]
  start: string[]
  /** What one user has in a table of their rows; null for others, and for the table of users. */
  ofUser: Statement | null
  /** Opens a value under a data key. Throws `UnreadableError`. */
  open: (key: DataKey, row: StoredKey, sealed: string) => unknown
  /** Null for a value that is in the present format. Throws `UnreadableError`. */
  reseal: (vault: Vault, row: StoredRow) => string | null
}

/** The primary key of a row, by column. */
export type StoredKey = Readonly<Record<string, string>>

type StoredRow = Key & { sealed: string; data_key: string }

const INTEGERS: readonly string[] = ['issue', 'chunk']

/** Describes where the values of a sealed column are stored. */
export function sealedRows<Value, At, Name extends string>(
  sealedColumn: SealedColumn<Value, At>,
  location: Location<At, Name>,
): SealedRows {
  const { key, at } = location
  const { column, formats } = sealedColumn
  const [table = '', name = ''] = column.split('.')
  const place = { ...location, table, column: name }
  return {
    column,
    formats,
    keyOf: (row) => key.map((part) => row[part] as string),
    ofUser: location.owner === 'users' && table !== 'users' ? ofUserStatement(place) : null,
    open: (dataKey, row, sealed) => sealedColumn.unseal(dataKey, at(row as Record<Name, string>), sealed),
    start: key.map((part) => (INTEGERS.includes(part) ? '-1' : '')),
    reseal: (vault, row) =>
      sealedColumn.reseal(() => vault.unwrap(row.data_key), at(row as Record<Name, string>), row.sealed),
    statements: {
      ...readingStatements(place),
      ...replacingStatements(place, {
        replace: `${indexName(place)}_replace`,
        replaceOne: `${indexName(place)}_replace_one`,
      }),
    },
  }
}

/** A column, and the primary key of its table, in order. */
type Place = { table: string; column: string; key: readonly string[] }

const indexName = ({ table, column }: Place) => `sealed_${table}_${column}`

const typed = (name: string, value: string) => (INTEGERS.includes(name) ? `${value}::int` : value)
const columnList = (key: readonly string[], alias: string) => key.map((part) => `${alias}.${part}`).join(', ')

function readingStatements(place: Place & Omit<Location<never, string>, 'at'>) {
  const { table, column, key, owner, ownerId, where = 'true' } = place
  const { given, isGiven } = givenText(place)
  const isOwner = owner === table
  const join = `join ${owner} o on o.${OWNERS[owner]} = t.${ownerId ?? OWNERS[owner]}`
  const dataKey = isOwner ? 't.data_key' : 'o.data_key'
  const from = `from ${table} t ${isOwner ? '' : join}`
  const isSealed = `t.${column} is not null and ${dataKey} is not null and ${where}`
  const after = key.map((part, index) => typed(part, `$${index + 1}`)).join(', ')
  return {
    count: statement(`${indexName(place)}_count`, `select count(*)::int as rows ${from} where ${isSealed}`),
    list: statement(
      `${indexName(place)}_list`,
      `select ${key.map((part) => `t.${part}::text as ${part}`).join(', ')}, t.${column} as sealed, ${dataKey} as data_key
         ${from}
        where (${columnList(key, 't')}) > (${after}) and ${isSealed}
        order by ${columnList(key, 't')}
        limit $${key.length + 1}`,
    ),
    left: statement(
      `${indexName(place)}_left`,
      `with ${given} select ${columnList([...key, 'was', 'now'], 'g')} from given g join ${table} t on ${isGiven}`,
    ),
  }
}

function ofUserStatement(place: Place & { where?: string }): Statement {
  const { table, column, key, where = 'true' } = place
  return statement(
    `${indexName(place)}_of_user`,
    `select ${key.map((part) => `t.${part}::text as ${part}`).join(', ')}, t.${column} as sealed
       from ${table} t
      where t.user_id = $1 and t.${column} is not null and ${where}
      order by ${columnList(key, 't')}`,
  )
}

/** SQL: the CTE `given` of the values of `toValues`, and that the row `t` is one of them and still has its value. */
function givenText({ column, key }: Place) {
  const columns = [...key, 'was', 'now']
  const arrays = columns.map((_, index) => `$${index + 1}::text[]`).join(', ')
  const given = `given as (select ${columnList(columns, 'g')} from unnest(${arrays}) as g (${columns.join(', ')}))`
  const isGiven = `${key.map((part) => `t.${part} = ${typed(part, `g.${part}`)}`).join(' and ')} and t.${column} = g.was`
  return { given, isGiven }
}

/** Replaces the values of many rows, or of one: a cluster locks rows of one shard only. */
export type Replacing = Record<'replace' | 'replaceOne', Statement>

/** Guarded by the value that was read: what was written, erased or destroyed since then stays as it is. */
export function replacingStatements(place: Place, names: Record<keyof Replacing, string>): Replacing {
  const { table, column, key } = place
  const { given, isGiven } = givenText(place)
  const isOne = key.map((part, index) => `t.${part} = ${typed(part, `$${index + 1}`)}`).join(' and ')
  const [was, now] = [`$${key.length + 1}`, `$${key.length + 2}`]
  return {
    replace: statement(
      names.replace,
      `with ${given}, locked as (
         select ${columnList(key, 't')}, g.now
           from ${table} t join given g on ${isGiven} order by ${columnList(key, 't')} for no key update of t skip locked
       )
       update ${table} t
          set ${column} = h.now
         from locked h
        where ${key.map((part) => `t.${part} = h.${part}`).join(' and ')}
       returning 1`,
    ),
    replaceOne: statement(
      names.replaceOne,
      `with locked as (select 1 from ${table} t where ${isOne} and t.${column} = ${was} for no key update skip locked)
       update ${table} t set ${column} = ${now} where ${isOne} and exists (select from locked) returning 1`,
    ),
  }
}

type Context = { db: Queryable; vault: Vault }
type Replacement = { key: string[]; was: string; now: string }

type WalkSettings = {
  reseals: boolean
  onProgress: (progress: WalkProgress) => void
  retries?: number
  rowsAtOnce?: number
}

/** The state of a walk: after each batch, and at its end. */
export type WalkProgress = { column: string; rows: number; checked: number; resealed: number }

/** `left`: rows of a former format that were locked all the time. */
export type WalkResult = WalkProgress & { left: number; unreadable: SealedAddress[] }

/**
 * Decrypts every value of a column, in batches, while the service keeps writing; with `reseals`, brings those of a former
 * format into the present one. It waits for no row, and writes none that has changed. A walk that was stopped is
 * repeated: finished rows are only read then.
 */
export async function walkSealedRows(
  { db, vault }: Context,
  rows: SealedRows,
  { reseals, onProgress, retries = RETRIES_MAX, rowsAtOnce = ROWS_AT_ONCE }: WalkSettings,
): Promise<WalkResult> {
  const { rows: total } = onlyRow(await db.query<{ rows: number }>(rows.statements.count))
  const replace = await replaceOn(db)
  const progress = { column: rows.column, rows: total, checked: 0, resealed: 0 }
  const unreadable: SealedAddress[] = []
  const skipped: Replacement[] = []
  for (let after = rows.start; ; ) {
    const batch = await db.query<StoredRow>(rows.statements.list, [...after, rowsAtOnce])
    const last = batch.at(-1)
    if (!last) break
    const former = batch.flatMap((row): Replacement[] => {
      const now = resealed(row)
      return now === null ? [] : [{ key: rows.keyOf(row), was: row.sealed, now }]
    })
    if (reseals && former.length > 0) await replace(rows.statements, former)
    const left = former.length === 0 ? [] : await stillThere(db, rows, former)
    skipped.push(...left)
    progress.checked += batch.length
    progress.resealed += former.length - left.length
    onProgress(progress)
    after = rows.keyOf(last)
  }
  const left = reseals ? await retry(skipped) : skipped
  return { ...progress, resealed: progress.resealed + skipped.length - left.length, left: left.length, unreadable }

  function resealed(row: StoredRow): string | null {
    try {
      return rows.reseal(vault, row)
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error
      unreadable.push(error.address)
      return null
    }
  }

  async function retry(some: Replacement[]): Promise<Replacement[]> {
    let left = some
    for (let tries = 0; left.length > 0 && tries < retries; tries++) {
      await sleep(PAUSE_MS)
      await replace(rows.statements, left)
      left = await stillThere(db, rows, left)
    }
    return left
  }
}

const toValues = (some: readonly Replacement[]) => [
  ...(some[0]?.key ?? []).map((_, index) => some.map(({ key }) => key[index])),
  some.map(({ was }) => was),
  some.map(({ now }) => now),
]

/** Returns those that have not changed: locked ones, or all when nothing is written. */
async function stillThere(db: Queryable, rows: SealedRows, some: Replacement[]): Promise<Replacement[]> {
  const rowsLeft = await db.query<Key & { was: string; now: string }>(rows.statements.left, toValues(some))
  return rowsLeft.map(({ was, now, ...key }) => ({ key: rows.keyOf(key), was, now }))
}

/** Returns how many were replaced: those neither changed since they were read nor locked. */
export type Replace = (statements: Replacing, some: readonly Replacement[]) => Promise<number>

export async function replaceOn(db: Queryable): Promise<Replace> {
  if (!(await isCluster(db))) return async ({ replace }, some) => (await db.query(replace, toValues(some))).length
  return async ({ replaceOne }, some) => {
    let done = 0
    for (const { key, was, now } of some) done += (await db.query(replaceOne, [...key, was, now])).length
    return done
  }
}
