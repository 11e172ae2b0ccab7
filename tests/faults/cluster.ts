import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../../src/kernel/embedded-postgres/embedded.ts'
import { freePorts } from '../support/server.ts'
import { type Supervised, supervise } from './processes.ts'
import type { SmallDisk } from './small-disk.ts'

const CONNECT_TIMEOUT_MS = 2_000
/** So that its log does not fill a small disk by itself. */
const LOG_SETTINGS = ['max_wal_size=64MB', 'min_wal_size=32MB']

/** A PostgreSQL of its own, with fsync on, whose postmaster is our child, so that it can be killed. */
export type Cluster = { process: Supervised; port: number; ownerUrl: string; appUrl(port: number): string }

export async function startCluster(folder: string, disk?: SmallDisk): Promise<Cluster> {
  const { data, binaries, ownerUrl, appUrl } = await initialise(disk?.folder ?? folder)
  const { uid, gid } = await stat(data) // root has switched to another account
  const [port = 0] = await freePorts(1)
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', ...LOG_SETTINGS]
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
  return { process: freezableCluster(server, owner), port, ownerUrl: owner, appUrl: (port) => overTcp(appUrl, port) }
}

/** Freezes the postmaster and all other processes, as a stalled disk would: nothing is closed and nothing responds. */
function freezableCluster(server: Supervised, ownerUrl: string): Supervised {
  let frozen: number[] = []
  const thaw = () => {
    for (const pid of frozen) signal(pid, 'SIGCONT')
    frozen = []
    server.thaw()
  }
  process.once('exit', thaw) // otherwise frozen processes would outlive the postmaster
  return {
    ...server,
    async freeze() {
      frozen = await findBackends(ownerUrl).catch(() => [])
      await server.freeze() // first, so that it starts no new ones
      for (const pid of frozen) signal(pid, 'SIGSTOP')
    },
    thaw,
    stop() {
      thaw()
      return server.stop()
    },
  }
}

const findBackends = (ownerUrl: string): Promise<number[]> =>
  withClient(ownerUrl, async (client) => {
    const text = 'select pid from pg_stat_activity where pid <> pg_backend_pid()'
    return (await client.query<{ pid: number }>(text)).rows.map(({ pid }) => pid)
  })

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name)
  } catch {
    // ended in the meantime
  }
}

/**
 * Creates the cluster, its roles and the empty database with the program's embedded database, and returns its location.
 */
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

/** Opens a connection for this work only, bypassing every proxy. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {}) // the running query rejects
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
