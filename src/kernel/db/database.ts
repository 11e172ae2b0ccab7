import assert from 'node:assert/strict'
import pg from 'pg'
import { createBulkhead } from '../bulkhead.ts'
import { currentCaller } from '../current-caller.ts'
import { notFound, ProblemError, unavailable } from '../problem-error.ts'
import { inChildSpan, isTracing } from '../tracing.ts'
import { compileRecord } from './compile-record.ts'
import { serviceSession, type Session, sessionConfig } from './session.ts'
import { hasEndedSession, isCollision, isNotNow, mayBeDone, readSqlstate } from './sqlstate.ts'
import { VERSION } from '../program-version.ts'
import { createWaiting, type Waiting } from './waiting.ts'

/**
 * A named prepared statement: planned once per connection, which doubles the rate of plain selects. With `replans` each
 * call is planned for its values, where a plan for any values would be a bad one.
 */
export type Statement = { readonly name: string; readonly text: string; readonly replans?: true }

const made = new Map<string, Statement>()

/**
 * Fails when the module loads where the name has another text, of which a connection would know only the first, and where a
 * parameter is left out, whose type the database would not know. Without a name it is not prepared.
 */
export function statement(name: string, text: string, options: Pick<Statement, 'replans'> = {}): Statement {
  const one = { name, text, ...options }
  assert(name === '' || (made.get(name)?.text ?? text) === text, `two statements are named ${name}`)
  const used = new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  for (let number = 1; number < Math.max(0, ...used); number++)
    assert(used.has(number), `the statement ${name} names its parameter $${number} nowhere`)
  made.set(name, one)
  return one
}

/** Returns every statement of the loaded modules, for the tests that check all of them. */
export const madeStatements = (): Statement[] => [...made.values()]

/** A statement with its values, to be sent in a pipeline. */
export type Step = { statement: Statement; values: readonly unknown[] }

/** Anything that runs statements. */
export type Queryable = { query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]> }

export type Database = Queryable & {
  /**
   * Sends `begin`, the statements and `commit` in one round trip and returns the rows of the last statement. For the
   * few writes that must see what was committed while they waited for a lock: nothing can be decided between the
   * statements.
   */
  pipeline<Row>(steps: readonly Step[]): Promise<Row[]>
  /** Whether concurrent calls may share a statement; off when users are on different shards. */
  readonly batching: boolean
  /** The calls of this process that wait for the database. */
  readonly waiting: Waiting
  /** The factor of its time limits. */
  readonly timeoutFactor: number
  /** Returns how long the first of a caller's statements has waited for its share of the connections. */
  callerWait_ms(caller: string): number
  connections(): { total: number; idle: number; waiting: number }
  close(): Promise<void>
}

type DatabaseSettings = {
  url: string
  poolSize: number
  batching: boolean
  /** How many statements of one caller run at a time; by default as many as there are connections. */
  statementsPerCaller?: number
  onLostConnection: (error: Error) => void
  /** For commands that read everything: disables the timeouts. */
  withoutTimeouts?: boolean
  /** Rejects every write. */
  readOnly?: boolean
  /** A factor of all time limits, for a machine that is known to be slow. */
  timeoutFactor?: number
}

const CONNECT_TIMEOUT_MS = 2_000
/** Longer than what a session allows a statement, so that the server gives up first. */
const QUERY_TIMEOUT_MS = 5_000
/** A dead peer is detected after this idle time plus the kernel's retries; the system's default is two hours. */
const KEEP_ALIVE_MS = 10_000

/**
 * A timestamp as sent on the wire: UTC, `YYYY-MM-DDThh:mm:ss`. Read as text, so that this process's time zone cannot
 * change it.
 */
export type WireTime = string

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === 1082) return (day: string) => day
    if (oid === 1184) return (time: string): WireTime => `${time.slice(0, 10)}T${time.slice(11, 19)}`
    if (oid === 20) return checkedInteger
    if (oid === TEXT_ARRAY) return parseTexts
    return pg.types.getTypeParser(oid, format)
  },
}

const TEXT_ARRAY: number = 1009
const STATEMENT = { 'db.system.name': 'postgresql' }
const parseQuotedTexts = pg.types.getTypeParser(TEXT_ARRAY)

/** Lists of ids do not need the driver's parser for quotes, escapes and nulls: 0.1 µs instead of 1.2 for two. */
const parseTexts = (list: string): (string | null)[] =>
  /["\\N]/.test(list) || list === '{}' ? parseQuotedTexts(list) : list.slice(1, -1).split(',')

function checkedInteger(text: string): number {
  const value = Number(text)
  assert(Number.isSafeInteger(value), 'a bigint column holds only safe integers')
  return value
}

/** Returns the options of every client: none connects without a deadline. By default its session is that of the service. */
export function connectionOptions(url: string, session: Session = serviceSession(), { timeoutFactor = 1 } = {}) {
  return {
    ...sessionConfig(url, session),
    application_name: `banyan/${VERSION}`, // shows in the server's list of sessions; versions before 0.2.0 had no number
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS * timeoutFactor,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  }
}

/** Returns a connected client. Throws `UnfitSession`, and leaves no connection, when its session is not the one that was asked for. */
export async function connectClient({
  onConnect,
  ...config
}: pg.ClientConfig & Pick<ReturnType<typeof sessionConfig>, 'onConnect'>): Promise<pg.Client> {
  const client = new pg.Client(config)
  client.on('error', () => {}) // the statement that runs is rejected too
  try {
    await client.connect()
    await onConnect(client)
    return client
  } catch (error) {
    void client.end().catch(() => {})
    throw error
  }
}

/** Returns the role that a connection to this URL has, which may also be among its parameters. */
export const readRole = (url: string): string | null => new pg.Client({ connectionString: url }).user ?? null

/** Opens the pool. Connects at the first statement; a database that is down is a 503. */
export function connectDatabase(settings: DatabaseSettings): Database {
  const { timeoutFactor = 1 } = settings
  const pool = new pg.Pool({
    ...connectionOptions(settings.url, serviceSession(settings), settings),
    max: settings.poolSize,
    ...(!settings.withoutTimeouts && { query_timeout: QUERY_TIMEOUT_MS * timeoutFactor }),
  })
  pool.on('error', settings.onLostConnection)
  // The pool listens to idle clients only; without this, losing a connection in use would end the process.
  pool.on('connect', (client) => client.on('error', settings.onLostConnection))

  const waiting = createWaiting()
  const callers = createBulkhead({
    width: settings.statementsPerCaller ?? settings.poolSize,
    waitMax_ms: CONNECT_TIMEOUT_MS * timeoutFactor,
  })

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool
      .connect()
      .catch((error: unknown) => {
        throw unavailable(error)
      })
      .finally(waiting.begin())
    let broken = false
    try {
      return await work(client)
    } catch (error) {
      broken = isConnectionError(error)
      throw isUnavailable(error) ? unavailable(error) : error
    } finally {
      client.release(broken)
    }
  }

  /** A caller with slow or blocked statements leaves connections to the others. */
  const once = <T>(work: (client: pg.PoolClient) => Promise<T>) => {
    const caller = currentCaller()
    const sent = caller === undefined ? withClient(work) : callers.run(caller, () => withClient(work))
    return sent.catch((error: unknown) => {
      throw isRetryable(error) ? unavailable(error) : error
    })
  }

  /** Statements are recorded by name, without their text and values. */
  const send = <T>(name: string, work: (client: pg.PoolClient) => Promise<T>) =>
    isTracing() ? inChildSpan({ name, kind: 'client', attributes: STATEMENT }, () => once(work)) : once(work)

  return {
    batching: settings.batching,
    waiting,
    timeoutFactor,
    callerWait_ms: callers.oldest_ms,
    query: <Row>(step: Statement, values?: readonly unknown[]) =>
      send(step.name, (client) => run<Row>(client, step, values)),
    pipeline: <Row>(steps: readonly Step[]) =>
      send(steps.at(-1)?.statement.name ?? 'none', (client) => runPipelined<Row>(client, steps)),
    connections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }
}

async function run<Row>(client: pg.ClientBase, step: Statement, values: readonly unknown[] = []): Promise<Row[]> {
  const { name, text, replans = false } = step
  const query = { ...(!replans && { name }), text, values: values as unknown[], rowMode: 'array' as const }
  const { rows, fields } = await client.query(query).catch((error: unknown) => {
    throw namedAfter(step, error)
  })
  return rows.length === 0 ? [] : (rows.map(createRowMaker(step, fields)) as Row[])
}

/** Logs name the statement, never its values. An error that ends a connection is that of the first statement on it. */
function namedAfter({ name }: Statement, error: unknown): unknown {
  if (error instanceof Error && !('statement' in error)) Object.assign(error, { statement: name })
  return error
}

const rowMakers = new WeakMap<Statement, (values: unknown[]) => object>()

/** The columns of a statement are always the same. */
function createRowMaker(step: Statement, fields: pg.FieldDef[]) {
  let make = rowMakers.get(step)
  if (!make) {
    make = compileRecord(fields.map(({ name }, index) => [name, `from[${index}]`]))
    rowMakers.set(step, make)
  }
  return make
}

/**
 * Sends everything before reading the first response. After an error the server skips the rest and turns the commit
 * into a rollback, so that error is the one to throw. Named statements stay prepared as in any other query.
 */
export async function runPipelined<Row>(
  client: pg.ClientBase,
  steps: readonly Step[],
  end: 'commit' | 'rollback' = 'commit',
): Promise<Row[]> {
  // `pipeline` is typed as an option of the constructor only; the client itself reads it at each query.
  Object.assign(client, { pipeline: true })
  try {
    const sent = [
      client.query('begin').then(() => []),
      ...steps.map(({ statement: step, values }) => run<Row>(client, step, values)),
      client.query(end).then(() => []),
    ]
    const outcomes = await Promise.allSettled(sent)
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed) throw failed.reason
    return (await sent.at(-2)) ?? []
  } finally {
    Object.assign(client, { pipeline: false })
  }
}

export function onlyRow<Row>(rows: Row[]): Row {
  assert(rows.length === 1 && rows[0] !== undefined, 'the statement returns exactly one row')
  return rows[0]
}

/** Returns the row of a lookup. Throws 404 `not_found` when there is none. */
export function foundRow<Row>([row]: Row[]): Row {
  if (row === undefined) throw notFound()
  return row
}

/**
 * Returns the unique constraint that rejected a row; undefined for any other error. The statement has changed nothing. An error of
 * a shard has the name only in its message, with the number of the shard at the end.
 */
export const violatedConstraint = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && readSqlstate(error) === '23505'
    ? (error.constraint ?? /constraint "(.+)"/.exec(error.message)?.[1])?.replace(/_\d{6,}$/, '')
    : undefined

/** Returns true when the statement was aborted by a deadlock or a serialization conflict and may be sent again. */
export const isRetryableConflict = (error: unknown): boolean => isRetryable(findCause(error))

/** Returns true when the database itself reported the failure, so that the statement has changed nothing. */
export const wasRolledBack = (error: unknown): boolean => {
  const cause = findCause(error)
  return cause instanceof pg.DatabaseError && !mayBeDone(readSqlstate(cause))
}

const TIMEOUT_SQLSTATES = ['55P03', '57014']

/**
 * Returns true when the statement timed out waiting for other writes of the same value of this unique index: for one of
 * them (lock timeout), or for several one after another (statement timeout).
 */
export const isTimeoutAt = (error: unknown, index: string): boolean => {
  const cause = findCause(error)
  if (!(cause instanceof pg.DatabaseError) || !TIMEOUT_SQLSTATES.includes(readSqlstate(cause))) return false
  return new RegExp(`"${index}(_\\d{6,})?"`).test(cause.where ?? '')
}

const findCause = (error: unknown): unknown => (error instanceof ProblemError ? error.cause : error)

const isRetryable = (error: unknown) => error instanceof pg.DatabaseError && isCollision(readSqlstate(error))

/** Returns true when the connection is unusable: it was lost, or a response never came. */
export function isConnectionError(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return hasEndedSession(readSqlstate(error))
  return !(error instanceof ProblemError) && isUnavailable(error)
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return isNotNow(readSqlstate(error))
  const { code, message } = error as { code?: string; message?: string }
  return (
    /^(ECONN|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH)/.test(code ?? '') ||
    /timeout|[Cc]onnection terminated|not queryable/.test(message ?? '')
  )
}
