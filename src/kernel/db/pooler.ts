import pg from 'pg'
import { connectClient, connectionOptions, onlyRow, runPipelined, statement } from './database.ts'
import { inTransaction } from './in-transaction.ts'
import { BASE, UnfitSession } from './session.ts'
import { readSqlstate } from './sqlstate.ts'

/** Longer than a quiet server takes for one of these statements, shorter than a check of `doctor` may. */
const QUERY_TIMEOUT_MS = 4_000

const BACKEND = 'select pg_backend_pid() as pid'
const NAMED = { name: 'pooler_named', text: BACKEND }

/** A setting is taken back with its transaction like a row, and needs neither rights nor a table. */
const VALUE = 'written'
const WRITE = statement('pooler_write', `select set_config('banyan.probe', $1, false) as value`)
const READ = statement('pooler_read', `select current_setting('banyan.probe', true) as value`)

/** Of statements that were prepared on another backend, and of transactions that were begun there. */
const ELSEWHERE = /^(26000|42P05|25P01|25P02)$/

const REMEDY =
  'Connect to PostgreSQL itself, or to PgBouncer in session mode with the settings on the role; ' +
  'docs/operators/install.md says how.'

const refuse = (reason: string): never => {
  throw new UnfitSession({ says: `A pooler that breaks sessions stands before PostgreSQL: ${reason}.`, remedy: REMEDY })
}

/**
 * Throws `UnfitSession` when a connection to this address is not one session of PostgreSQL: a pooler that gives each
 * transaction another backend loses named statements, locks and what a pipeline has begun. Writes nothing. Returns whether
 * something that keeps sessions together is in between: the process that was reported at connect is another one.
 */
export async function checkPooler(url: string): Promise<{ isPooled: boolean }> {
  const first = await open(url)
  try {
    const second = await open(url)
    try {
      return await examine(first, second)
    } catch (error) {
      const isElsewhere = error instanceof pg.DatabaseError && ELSEWHERE.test(readSqlstate(error))
      throw isElsewhere ? refuse('a named statement or a transaction is lost between two transactions') : error
    } finally {
      await second.end()
    }
  } finally {
    await first.end()
  }
}

async function open(url: string): Promise<pg.Client> {
  const session = { ...BASE, default_transaction_read_only: 'on' }
  return await connectClient({ ...connectionOptions(url, session), query_timeout: QUERY_TIMEOUT_MS }).catch(
    (error: unknown) => {
      if (error instanceof Error && /^unsupported (options )?startup parameter/.test(error.message))
        refuse('it refuses the settings of a connection')
      throw error
    },
  )
}

async function examine(first: pg.Client, second: pg.Client): Promise<{ isPooled: boolean }> {
  await askPgpool(first)
  const before = await inTransaction(first, () => readBackend(first))
  // Else the backend that a quiet pooler took back would be the next that it gives out.
  const after = await inTransaction(second, async () => {
    await readBackend(second)
    return await inTransaction(first, () => readBackend(first))
  })
  if (before !== after) refuse('two transactions of one connection see two backends')
  await inTransaction(first, () => readBackend(first, NAMED))
  await inTransaction(first, () => readBackend(first, NAMED)) // the driver does not send its text again
  await rollBackPipeline(first)
  return { isPooled: processAtConnect(first) !== before }
}

/** PostgreSQL does not know this setting; pgpool-II responds itself. */
async function askPgpool(client: pg.Client): Promise<void> {
  const answer = await client.query('show pool_version').catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && readSqlstate(error) === '42704') return undefined
    throw error
  })
  if (answer !== undefined) refuse('it is pgpool-II')
}

const readBackend = async (client: pg.Client, query: string | pg.QueryConfig = BACKEND): Promise<number> =>
  onlyRow((await client.query<{ pid: number }>(query)).rows).pid

/** The driver keeps it for cancelling, and its types do not have it. */
const processAtConnect = (client: pg.Client): unknown => (client as pg.Client & { processID?: unknown }).processID

async function rollBackPipeline(client: pg.Client): Promise<void> {
  const steps = [{ statement: WRITE, values: [VALUE] }]
  const written = onlyRow(await runPipelined<{ value: string }>(client, steps, 'rollback'))
  const left = onlyRow(await runPipelined<{ value: string | null }>(client, [{ statement: READ, values: [] }]))
  if (written.value !== VALUE || left.value === VALUE) refuse('statements that are sent at once are garbled')
}
