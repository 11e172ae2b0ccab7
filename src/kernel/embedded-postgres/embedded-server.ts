import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { chown, mkdir, mkdtemp, open, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandLine, isAlive } from '../process.ts'
import type { Home } from './embedded-home.ts'

const SOCKET_PATH_BYTES_MAX = 107
const STOP_TIMEOUT_MS = 6_000
const STOP_POLL_MS = 20
const PORT = 5432 // names the socket; nothing listens on a network

export type EmbeddedServer = ReturnType<typeof createServer>

/** Returns true when the process is a PostgreSQL: after a restart of the machine the id in a PID file may be another's. */
const isPostgres = (pid: number): boolean =>
  pid > 0 && isAlive(pid) && basename(commandLine(pid)?.[0] ?? 'postgres') === 'postgres'

/** Manages the server process on a cluster, whichever process started it. The socket path survives restarts. */
export function createServer({ cluster, binaries, as }: Home, settings: Record<string, string>) {
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

  /** Returns the id of the server that is running on the cluster, starting or stopping. */
  function runningPid(): number | undefined {
    const pid = pidInFile()
    if (isPostgres(pid)) return pid
    return child?.exitCode === null && child.signalCode === null ? child.pid : undefined
  }

  return {
    logFile,

    isRunning: () => runningPid() !== undefined,

    /** Starts the server without waiting for it. It survives our being killed. */
    async start(): Promise<void> {
      socketDir = await makeSocketDir(cluster, as, socketDir)
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

    /** Stops the server and removes its socket folder outside the cluster. Throws when the server does not stop. */
    async stop(): Promise<void> {
      const pid = runningPid()
      if (pid !== undefined) await stopFast(pid)
      // It is not empty when another process has started a server again, which then needs it.
      if (socketDir !== undefined && socketDir !== cluster) await rmdir(socketDir).catch(() => {})
    },
  }
}

/** Ends its sessions and then the server. Waits for this process: pg_ctl would also wait for one that follows it. */
async function stopFast(pid: number): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (isPostgres(pid)) throw error // it has not ended by itself
  }
  while (isPostgres(pid)) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL has not stopped within ${STOP_TIMEOUT_MS / 1_000} s`)
    await sleep(STOP_POLL_MS)
  }
}

/**
 * Returns the cluster's folder, or one outside where that would make the socket path too long: the former one, which
 * other connections expect, made again where it is missing; a new one when there is none or somebody else took its name.
 */
async function makeSocketDir(cluster: string, { uid, gid }: Home['as'], former?: string): Promise<string> {
  if (Buffer.byteLength(join(cluster, `.s.PGSQL.${PORT}`)) <= SOCKET_PATH_BYTES_MAX) return cluster
  if (former !== undefined && readOwner(former) === (uid ?? process.getuid?.())) return former
  const folder = (former && (await madeFolder(former))) ?? (await mkdtemp(join(tmpdir(), 'banyan-')))
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  return folder
}

const readOwner = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.uid

/** Undefined when there is already something with this name. */
const madeFolder = (path: string): Promise<string | undefined> =>
  mkdir(path, { mode: 0o700 }).then(
    () => path,
    () => undefined,
  )
