import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Body } from './app.ts'
import { cloneDatabase, type TestDatabase } from './database.ts'

const START_DEADLINE_MS = 90_000
const STOP_DEADLINE_MS = 60_000
const COMMAND_TIMEOUT_MS = 300_000
const REQUEST_TIMEOUT_MS = 60_000
const POLL_MS = 100

const ROOT = new URL('../../', import.meta.url).pathname

/** A data folder and ports of its own, and the program's environment with them. */
export type Workspace = {
  folder: string
  dataDir: string
  origin: string
  metricsUrl: string
  sandboxUrl: string
  environment: Record<string, string>
  remove(): Promise<void>
}

/** None of the tester's own settings are passed on, except the location of compiled code. */
export async function newWorkspace(): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-walk-'))
  await chmod(folder, 0o755) // started by root, the database runs as another user
  const [port, sandboxPort, metricsPort] = await freePorts(3)
  const dataDir = join(folder, 'data')
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? folder,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    DATA_DIR: dataDir,
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    METRICS_PORT: String(metricsPort),
    PROCESSES: '1', // of the API; tests about several processes set it
  }
  return {
    folder,
    dataDir,
    origin: `http://localhost:${port}`,
    metricsUrl: `http://localhost:${metricsPort}/metrics`,
    sandboxUrl: `http://localhost:${sandboxPort}`,
    environment,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/**
 * Returns a workspace whose program uses a new database of the test server instead of starting a PostgreSQL of its own:
 * for tests that are not about the embedded database.
 */
export async function newWorkspaceWithDatabase(): Promise<Workspace & Pick<TestDatabase, 'sql'>> {
  const [workspace, database] = await Promise.all([newWorkspace(), cloneDatabase()])
  const urls = { DATABASE_URL: database.appUrl, MIGRATION_DATABASE_URL: database.ownerUrl }
  return {
    ...workspace,
    sql: database.sql,
    environment: { ...workspace.environment, ...urls },
    remove: async () => void (await Promise.all([workspace.remove(), database.close()])),
  }
}

/** Below the ports that the system gives to connections: one of those could be taken again before its program starts. */
const PORTS = { from: 10_000, to: 30_000 }
const given = new Set<number>()

/** Returns free ports, none of them twice. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    ports.push(port)
  }
  return ports
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}

type Environment = Record<string, string>

export type Server = Awaited<ReturnType<typeof startServer>>

/** Starts the program as its own process; resolves once `/readyz` reports every part as ready. */
export async function startServer(workspace: Workspace, more: Environment = {}, command = 'start') {
  const child = launch([command], { ...workspace.environment, ...more })
  const ended = once(child.process, 'exit') as Promise<[number | null]>
  const stop = async (): Promise<{ code: number | null; took_ms: number }> => {
    const from = performance.now()
    child.process.kill('SIGTERM')
    child.process.kill('SIGTERM') // from a terminal through npm it comes twice
    const code = await Promise.race([
      ended.then(([code]) => code),
      sleep(STOP_DEADLINE_MS, 'late' as const, { ref: false }),
    ])
    if (code === 'late') child.process.kill('SIGKILL')
    assert(code !== 'late', `the program was still there ${STOP_DEADLINE_MS} ms after SIGTERM`)
    return { code, took_ms: performance.now() - from }
  }
  /** As the system does when memory runs out. */
  const kill = async (): Promise<void> => {
    child.process.kill('SIGKILL')
    await ended
  }
  const deadline = performance.now() + START_DEADLINE_MS
  while (!(await isReady(workspace.origin))) {
    if (child.process.exitCode === null && performance.now() < deadline) {
      await sleep(POLL_MS)
      continue
    }
    if (child.process.exitCode === null) await stop()
    throw new Error(`the program did not start: ${child.output().stderr}`)
  }
  const exitCode = ended.then(([code]) => code)
  return { pid: child.process.pid as number, stop, kill, exitCode, output: child.output }
}

const isReady = (origin: string) =>
  fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }).then(
    (response) => response.ok,
    () => false,
  )

/** Starts a command that continues until `interrupt`, which acts as Ctrl-C. */
export function startCommand(args: string[], environment: Environment) {
  const child = launch(args, environment)
  const ended = end(child)
  const interrupt = async (): Promise<Ended> => {
    child.process.kill('SIGINT')
    const last = await Promise.race([ended, sleep(STOP_DEADLINE_MS, undefined, { ref: false })])
    if (!last) child.process.kill('SIGKILL')
    assert(last, `the command was still there ${STOP_DEADLINE_MS} ms after SIGINT`)
    return last
  }
  return { output: child.output, ended, interrupt }
}

type Ended = { code: number | null; stdout: string; stderr: string }

/** Runs one command of the program to its end. */
export const runCommand = (args: string[], environment: Environment): Promise<Ended> => end(launch(args, environment))

/** Runs a bash script in the root of the project to its end. */
export const runScript = (script: string, environment: Environment): Promise<Ended> =>
  end(follow(spawn('bash', ['-c', script], { cwd: ROOT, env: environment, timeout: COMMAND_TIMEOUT_MS })))

/** Commands that run until they are stopped. */
const LONG_RUNNING = new Set(['start', 'serve', 'work', 'events'])

function launch(args: string[], env: Environment) {
  const timeout = LONG_RUNNING.has(args[0] ?? '') ? undefined : COMMAND_TIMEOUT_MS
  return follow(spawn(process.execPath, ['src/main.ts', ...args], { cwd: ROOT, env, timeout }))
}

function follow(child: ChildProcess) {
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  return { process: child, output: () => ({ ...output }) }
}

async function end(child: ReturnType<typeof follow>): Promise<Ended> {
  const [code] = (await once(child.process, 'close')) as [number | null]
  return { code, ...child.output() }
}

export type Reply = { status: number; body: Body; text: string; headers: Headers }
type Sending = { token?: string; headers?: Record<string, string>; body?: object | string }

/** Sends requests over the network, as a partner's program does. */
export const clientOf =
  (origin: string) =>
  async (method: string, path: string, { token, headers = {}, body }: Sending = {}): Promise<Reply> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(typeof body === 'object' && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      text,
      headers: response.headers,
    }
  }

export type Client = ReturnType<typeof clientOf>

/** Polls until the response satisfies; fails after the deadline. */
export async function eventually<T>(ask: () => Promise<T>, satisfies: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + START_DEADLINE_MS
  for (;;) {
    const value = await ask()
    if (satisfies(value)) return value
    assert(performance.now() < deadline, `not within ${START_DEADLINE_MS} ms: ${JSON.stringify(value)}`)
    await sleep(POLL_MS)
  }
}
