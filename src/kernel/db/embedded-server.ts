import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { commandLine, isAlive } from '../process.ts'
import { type Home, run } from './embedded-home.ts'

const SOCKET_PATH_BYTES_MAX = 107
const STOP_TIMEOUT_S = 6
const PORT = 5432 // names the socket; nothing listens on a network

export type EmbeddedServer = ReturnType<typeof openServer>

/** Returns true when the process is a PostgreSQL: after a restart of the machine the id in a PID file may be another's. */
const isPostgres = (pid: number): boolean =>
  pid > 0 && isAlive(pid) && basename(commandLine(pid)?.[0] ?? 'postgres') === 'postgres'

/** Manages the server process on a cluster, whichever process started it. The socket path survives restarts. */
export function openServer({ cluster, binaries, as }: Home, settings: Record<string, string>) {
  const logFile = join(cluster, 'server.log')
  let child: ChildProcess | undefined
  let socketDir: string | undefined

  /** Returns the lines of the server's PID file; empty when there is none. */
  function pidFile(): string[] {
    try {
      return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    } catch {
      return []
    }
  }

  const pidInFile = () => Number(pidFile()[0] ?? 0)

  return {
    logFile,

    /** Returns true when a server is running on the cluster, starting or stopping. */
    isRunning(): boolean {
      return (child?.exitCode === null && child.signalCode === null) || isPostgres(pidInFile())
    },

    /** Starts the server without waiting for it. It survives our being killed. */
    async start(): Promise<void> {
      if (socketDir === undefined || !existsSync(socketDir)) socketDir = await newSocketDir(cluster, as)
      const options = {
        listen_addresses: '',
        port: String(PORT),
        unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
        ...settings,
      }
      const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      const log = await open(logFile, 'a', 0o600)
      if (as.uid !== undefined && as.gid !== undefined) await log.chown(as.uid, as.gid)
      // Not with pg_ctl, which passes everything through a shell, nor with our environment, which holds keys.
      const stdio = ['ignore', log.fd, log.fd] as const
      // PostgreSQL takes any process with the id in its PID file for a server, except for the one that this variable names.
      const former = pidInFile()
      child = spawn(join(binaries, 'postgres'), ['-D', cluster, ...args], {
        ...as,
        env: isPostgres(former) ? {} : { PG_GRANDPARENT_PID: String(former) },
        detached: true,
        stdio: [...stdio],
      })
      child.on('error', () => {}) // the server is not running then, and connecting to it fails
      child.unref()
      await log.close()
    },

    /** Returns the URL of the server, also before it has started. */
    url(role: string, database: string): string {
      socketDir = pidFile()[4] || socketDir
      return `postgresql://${role}@localhost:${PORT}/${database}?host=${encodeURIComponent(socketDir ?? cluster)}`
    },

    /** Stops the server and removes its socket folder outside the cluster. */
    async stop(): Promise<void> {
      const args = ['stop', '-D', cluster, '-m', 'fast', '-w', '-t', String(STOP_TIMEOUT_S)]
      const diedFirst = (error: unknown) => {
        if (this.isRunning()) throw error
      }
      if (this.isRunning()) await run(join(binaries, 'pg_ctl'), args, as).catch(diedFirst)
      if (socketDir !== undefined && socketDir !== cluster) await rm(socketDir, { recursive: true, force: true })
    },
  }
}

/** Returns the cluster's folder, or a new one where that would make the socket path too long. */
async function newSocketDir(cluster: string, { uid, gid }: Home['as']): Promise<string> {
  if (Buffer.byteLength(join(cluster, `.s.PGSQL.${PORT}`)) <= SOCKET_PATH_BYTES_MAX) return cluster
  const folder = await mkdtemp(join(tmpdir(), 'banyan-'))
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  return folder
}
