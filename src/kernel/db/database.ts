import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Refusal, unavailable } from '../refusal.ts'

/** A named prepared statement: planned once a connection, which doubles plain selects. */
export type Statement = { readonly name: string; readonly text: string }

export const statement = (name: string, text: string): Statement => ({ name, text })

/** Whatever statements can be run on: the database itself, or a transaction. */
export type Queryable = { query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> }

declare const transactionBrand: unique symbol

/** An open transaction. A function that must run in one takes it as its first argument. */
export type Tx = Queryable & { readonly [transactionBrand]: true }

export type Database = Queryable & {
  /** Runs the work in one transaction; serialisation failures and deadlocks are tried again, at most five times. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Whether concurrent calls may share a statement; off when each user's rows live on a shard of their own. */
  readonly sharing: boolean
  connections(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

export type DatabaseSettings = {
  url: string
  poolSize: number
  sharing: boolean
  onLostConnection: (error: Error) => void
  /** For commands that read everything: no time-outs. */
  isPatient?: boolean
}

/** The schema that holds every table of ours. */
export const SCHEMA = 'banyan'

/**
 * A frozen database must not freeze its callers: the client gives up last, the server before it, a lock before that.
 * Whatever timed out may still have happened; unique keys make a second try harmless.
 */
const CONNECT_TIMEOUT_MS = 2_000
const LOCK_TIMEOUT_MS = 3_000
const STATEMENT_TIMEOUT_MS = 4_000
const QUERY_TIMEOUT_MS = 5_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const TRANSACTION_TRIES_MAX = 5
const RETRY_DELAY_MS = 20

/** A timestamp as it goes out: UTC, `YYYY-MM-DDThh:mm:ss`. Read as text, so that no zone of this process touches it. */
export type WireTime = string

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === 1082) return (day: string) => day
    if (oid === 1184) return (time: string): WireTime => `${time.slice(0, 10)}T${time.slice(11, 19)}`
    if (oid === 20) return checkedInteger
    return pg.types.getTypeParser(oid, format)
  },
}

function checkedInteger(text: string): number {
  const value = Number(text)
  assert(Number.isSafeInteger(value), 'a bigint column holds only safe integers')
  return value
}

export function connectionOptions(url: string, { isPatient = false } = {}): pg.ClientConfig {
  const session = {
    search_path: SCHEMA,
    timezone: 'UTC',
    statement_timeout: isPatient ? 0 : STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  }
  return {
    connectionString: url,
    application_name: 'banyan',
    options: Object.entries(session)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    types,
  }
}

/** Opens the pool. Nothing is connected yet; a database that is down shows at the first statement, as 503. */
export function openDatabase(settings: DatabaseSettings): Database {
  const pool = new pg.Pool({
    ...connectionOptions(settings.url, settings),
    max: settings.poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(!settings.isPatient && { query_timeout: QUERY_TIMEOUT_MS }),
  })
  pool.on('error', settings.onLostConnection)
  // The pool listens to idle clients only; without this a connection lost in use would end the process.
  pool.on('connect', (client) => client.on('error', settings.onLostConnection))

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw unavailable(error)
    })
    let broken = false
    try {
      return await work(client)
    } catch (error) {
      broken = isConnectionFault(error)
      throw isUnavailable(error) ? unavailable(error) : error
    } finally {
      client.release(broken)
    }
  }

  async function transactionOnce<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return withClient(async (client) => {
      await client.query('begin')
      try {
        const result = await work({ query: (step, values) => run(client, step, values) } as Tx)
        await client.query('commit')
        return result
      } catch (error) {
        if (!isConnectionFault(error)) await client.query('rollback')
        throw error
      }
    })
  }

  return {
    sharing: settings.sharing,
    query: <Row>(step: Statement, values?: readonly unknown[]) =>
      withClient((client) => run<Row>(client, step, values)).catch((error: unknown) => {
        throw isRetryable(error) ? unavailable(error) : error
      }),
    transaction: async (work) => {
      for (let tries = 1; ; tries++) {
        try {
          return await transactionOnce(work)
        } catch (error) {
          if (!isRetryable(error)) throw error
          if (tries === TRANSACTION_TRIES_MAX) throw unavailable(error)
          await sleep(RETRY_DELAY_MS * 2 ** tries * Math.random())
        }
      }
    },
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

async function run<Row>(client: pg.PoolClient, step: Statement, values: readonly unknown[] = []): Promise<Row[]> {
  const result = await client.query({ name: step.name, text: step.text, values: values as unknown[] })
  return result.rows as Row[]
}

/** The one row that must be there. */
export function onlyRow<Row>(rows: Row[]): Row {
  assert(rows.length === 1 && rows[0] !== undefined, 'the statement returns exactly one row')
  return rows[0]
}

/** True when this unique or exclusion constraint refused the row. */
export function violates(error: unknown, constraint: string): boolean {
  return violatedKey(error) === constraint
}

/** The unique constraint that refused a row; undefined for any other error. The statement has left nothing behind. */
export const violatedKey = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && error.code === '23505' ? error.constraint : undefined

/** True when the statement was aborted to end a deadlock or a conflict with another one, and may be sent again. */
export const lostToAnother = (error: unknown): boolean => isRetryable(causeOf(error))

/** True when the database itself said that the statement failed, so that it has left nothing behind. */
export const wasRolledBack = (error: unknown): boolean => {
  const cause = causeOf(error)
  return cause instanceof pg.DatabaseError && !isConnectionFault(cause)
}

/** True when the statement waited for a row longer than it may. */
export const isLockTimeout = (error: unknown): boolean => {
  const cause = causeOf(error)
  return cause instanceof pg.DatabaseError && cause.code === '55P03'
}

const causeOf = (error: unknown): unknown => (error instanceof Refusal ? error.cause : error)

const isRetryable = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40001' || error.code === '40P01')

/** The connection is of no further use: it was lost, or the answer never came. */
function isConnectionFault(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P)/.test(error.code ?? '')
  return !(error instanceof Refusal) && isUnavailable(error)
}

/** SQLSTATEs that say "not now": shutting down, starting, out of connections, cancelled or waited too long, disk full. */
const NOT_NOW = /^(08|53|57|58|55P03|25P03|40001|40P01)/

function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return NOT_NOW.test(error.code ?? '') && !isRetryable(error)
  const { code, message } = error as { code?: string; message?: string }
  return (
    /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH)/.test(code ?? '') ||
    /timeout|[Cc]onnection terminated|not queryable/.test(message ?? '')
  )
}
