import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/kernel/db/embedded.ts'
import { freePorts } from '../support/server.ts'
import { type Supervised, supervise } from './processes.ts'

const CONNECT_TIMEOUT_MS = 2_000

/** A PostgreSQL of its own, with fsync on, whose first process is our child, so that it can be killed. */
export type Cluster = { process: Supervised; port: number; ownerUrl: string; appUrl(port: number): string }

export async function openCluster(folder: string): Promise<Cluster> {
  const { data, binaries, ownerUrl, appUrl } = await initialise(folder)
  const { uid, gid } = await stat(data) // root has lent the account of somebody else
  const [port = 0] = await freePorts(1)
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=']
  const owner = overTcp(ownerUrl, port)
  const server = supervise({
    name: 'postgresql',
    command: join(binaries, 'postgres'),
    args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    options: { cwd: data, env: {}, ...(process.getuid?.() === 0 && { uid, gid }) },
    log: join(folder, 'postgresql.log'),
    isReady: () => withClient(owner, () => Promise.resolve(true)),
    stopSignal: 'SIGINT',
  })
  return { process: server, port, ownerUrl: owner, appUrl: (port) => overTcp(appUrl, port) }
}

/** Lets the program's own embedded database make the cluster, its roles and the empty database, and asks it where it is. */
async function initialise(folder: string) {
  const { ownerUrl, appUrl, stop } = await startEmbedded({ dataDir: folder })
  try {
    const [row] = await withClient(ownerUrl, async (client) => {
      const { rows } = await client.query<{ data: string; binaries: string }>(
        `select current_setting('data_directory') as data, setting as binaries from pg_config where name = 'BINDIR'`,
      )
      return rows
    })
    if (!row) throw new Error('the embedded database does not say where it is')
    return { ...row, ownerUrl, appUrl }
  } finally {
    await stop()
  }
}

function overTcp(socketUrl: string, port: number): string {
  const { username, pathname } = new URL(socketUrl)
  return `postgresql://${username}@127.0.0.1:${port}${pathname}`
}

/** Opens a connection for this piece of work alone, past every proxy. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {}) // the query that is running rejects
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
