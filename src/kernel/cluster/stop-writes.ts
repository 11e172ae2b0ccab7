import pg from 'pg'
import { COUNT_ALIVE, HEARTBEAT_TIMEOUT_SECONDS } from '../jobs/heartbeat.ts'
import { StartError } from '../start-error.ts'
import { connectClient, connectionOptions } from '../db/database.ts'
import { checkPooler } from '../db/pooler.ts'
import { SCHEMA, serviceSession } from '../db/session.ts'
import type { Placements } from './placement.ts'

/** Of the program, whatever its role, and of its role, whatever it calls itself. */
const CONNECTIONS = `select count(*)::int as count
  from pg_stat_activity
 where datname = current_database() and pid <> pg_backend_pid() and (application_name ~ '^(banyan(/.*)?|pgboss)$' or usename = $1)`

const LOCK_TIMEOUT = '55P03'

/**
 * Begins a transaction in which everything can be read as it is now, and nobody else can write. Throws `StartError` while
 * processes of the program live.
 */
export async function stopWrites(
  client: pg.Client,
  { appRole, placements }: { appRole: string | null; placements: Placements },
): Promise<void> {
  const count = async (text: string, value: unknown) =>
    (await client.query<{ count: number }>(text, [value])).rows[0]?.count ?? 0
  const workers = await count(COUNT_ALIVE, HEARTBEAT_TIMEOUT_SECONDS)
  if (workers > 0) {
    throw new StartError(
      `Workers were seen within the last ${HEARTBEAT_TIMEOUT_SECONDS} seconds: ${workers}. Stop \`work\` and \`start\`, wait that long, and call this again.`,
    )
  }
  const connections = await count(CONNECTIONS, appRole)
  if (connections > 0) {
    throw new StartError(
      `The program still has ${connections} connections to the database. Stop \`serve\` and \`start\`.`,
    )
  }
  const tables = [...placements.keys()].map((table) => `${SCHEMA}.${table}`)
  await client.query('begin isolation level repeatable read')
  await client.query(`lock table ${tables.join(', ')} in share mode`).catch((error: unknown) => {
    const isBusy = error instanceof pg.DatabaseError && error.code === LOCK_TIMEOUT
    throw isBusy ? new StartError('Something still writes to the database; see pg_stat_activity, and stop it.') : error
  })
}

type Connecting = { called: string; closers: AsyncDisposableStack }

/** Connects to a database for as long as a command runs, however long that is. Throws `StartError` when it cannot. */
export async function connectTo(url: string, { called, closers }: Connecting): Promise<pg.Client> {
  const session = { ...serviceSession({ withoutTimeouts: true }), idle_in_transaction_session_timeout: 0 }
  const connect = async () => {
    await checkPooler(url)
    return await connectClient(connectionOptions(url, session))
  }
  const client = await connect().catch((error: Error) => {
    throw error instanceof StartError ? error : new StartError(`${called} cannot be used: ${error.message}.`)
  })
  closers.defer(() => client.end())
  return client
}
