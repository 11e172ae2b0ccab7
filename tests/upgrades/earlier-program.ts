import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { within } from '../support/deadline.ts'
import { freePorts } from '../support/server.ts'
import { findPostgres, startPostgres } from '../dump/debian-postgres.ts'

const run = promisify(execFile)

const START_MS_MAX = 90_000
const COMMAND_MS_MAX = 60_000
const DUMP_BYTES_MAX = 64 * 1024 * 1024
const REQUEST_MS_MAX = 15_000

type Environment = Record<string, string>

/** The program of a checkout, on a PostgreSQL server of its own that `pg_dump` can read. */
export type Program = {
  api: string
  sandbox: string
  filesFolder: string
  /** Runs one command to its end and returns its output; undefined when the version does not have it. */
  command(settings: Environment, ...args: string[]): Promise<string | undefined>
  start(settings: Environment): Promise<void>
  stopProgram(): Promise<void>
  /** The whole database in SQL, without what only `psql` understands. */
  dump(): Promise<string>
  /** Stops the program and the server. */
  stop(): Promise<void>
}

export async function startProgram(project: string, folder: string, origin: string): Promise<Program> {
  const postgres = await findPostgres()
  const server = await startPostgres(postgres, join(folder, 'postgres'))
  for (const line of [
    'create role banyan_owner login createrole',
    'create role banyan_app login',
    'create database banyan owner banyan_owner',
  ])
    await server.query(line)
  const [port = 0, sandboxPort = 0, metricsPort = 0] = await freePorts(3)
  const filesFolder = join(folder, 'files')
  const environment = (settings: Environment) => ({
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
    DOCUMENT_FOLDER: filesFolder,
    DATABASE_URL: server.urlOf('banyan_app', 'banyan'),
    MIGRATION_DATABASE_URL: server.urlOf('banyan_owner', 'banyan'),
    PUBLIC_URL: origin,
    PROCESSES: '1',
    TRUSTED_PROXIES: '1', // each person signs in from an address of their own
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    METRICS_PORT: String(metricsPort),
    RATE_LIMIT_PLATFORM: '100000',
    RATE_LIMIT_BENEFIT_PROVIDER: '100000',
    RATE_LIMIT_USER: '100000',
    ...settings,
  })
  const api = `http://localhost:${port}`
  let running: ChildProcess | undefined
  const stopProgram = async () => {
    if (running?.exitCode === null) await stop(running)
  }

  return {
    api,
    sandbox: `http://localhost:${sandboxPort}`,
    filesFolder,
    async command(settings, ...args) {
      const options = { cwd: project, env: environment(settings), timeout: COMMAND_MS_MAX }
      try {
        return (await run(process.execPath, ['src/main.ts', ...args], options)).stdout.trim()
      } catch (error) {
        if (/unknown command/.test((error as { stderr?: string }).stderr ?? '')) return undefined
        throw error
      }
    },
    async start(settings) {
      const env = environment(settings)
      const child = spawn(process.execPath, ['src/main.ts', 'start'], { cwd: project, env, stdio: 'pipe' })
      const log = createWriteStream(join(folder, 'program.log'), { flags: 'a' })
      child.stdout.pipe(log)
      child.stderr.pipe(log)
      running = child
      await within(START_MS_MAX, () => isReady(api, child))
    },
    async dump() {
      const database = server.urlOf('postgres', 'banyan')
      const args = ['--dbname', database, '--no-owner', '--inserts', '--rows-per-insert=500']
      const options = { env: { ...process.env, ...postgres.environment }, maxBuffer: DUMP_BYTES_MAX }
      const { stdout } = await run(join(postgres.binaries, 'pg_dump'), args, options)
      return stdout.replace(/^\\.*\n/gm, '')
    },
    stopProgram,
    async stop() {
      await stopProgram()
      await server.stop()
    },
  }
}

async function isReady(api: string, child: ChildProcess): Promise<boolean> {
  if (child.exitCode !== null) throw new Error(`the program ended with ${child.exitCode}; see program.log`)
  const signal = AbortSignal.timeout(REQUEST_MS_MAX)
  return fetch(`${api}/readyz`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
