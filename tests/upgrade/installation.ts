import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startEmbedded } from '../../src/kernel/embedded-postgres/embedded.ts'
import { type Supervised, supervise } from '../faults/processes.ts'
import type { Closers, Target } from '../faults/stage.ts'
import { freePorts } from '../support/server.ts'
import { startBalancer } from './balancer.ts'
import type { Program } from './programs.ts'

const COMMAND_TIMEOUT_MS = 90_000
const PROBE_TIMEOUT_MS = 2_000

/** An API or a worker of one version, as its own process. */
export type Node = Supervised & { program: Program; port: number; origin: string }
type Ended = { code: number; output: string }
type Role = 'serve' | 'work' | 'sandbox'
type Starting = { role: Role; port: number; settings: Record<string, string>; isReadyAt: string }

export type Installation = Awaited<ReturnType<typeof openInstallation>>

/**
 * A database with processes of several versions on it, the APIs behind a load balancer. `closers` get what must be closed, also
 * when opening fails.
 */
export async function openInstallation(first: Program, closers: Closers) {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-rolling-'))
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  const database = await startEmbedded({ dataDir: join(folder, 'database'), serverSettings: { fsync: 'off' } })
  closers.push(database.stop)
  const [balancerPort = 0, sandboxPort = 0] = await freePorts(2)
  const balancer = await startBalancer(balancerPort)
  closers.push(balancer.close)
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`
  await mkdir(join(folder, 'data'))
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    HOST: '127.0.0.1',
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.appUrl,
    DATABASE_WAIT_MS: '2000', // an upgrade is not to blame for what a busy machine rejects
    PROCESSES: '1',
    PUBLIC_URL: balancer.origin,
    SANDBOX_PORT: String(sandboxPort),
    TRUSTED_PROXIES: '1', // each client calls from an IP address of its own
    RATE_LIMIT_PLATFORM: '1000000',
    RATE_LIMIT_BENEFIT_PROVIDER: '1000000',
    RATE_LIMIT_USER: '1000000',
  }

  /** Runs a command of a version to its end. */
  async function end(program: Program, ...args: string[]): Promise<Ended> {
    const env = { ...environment, MIGRATION_DATABASE_URL: database.ownerUrl }
    const options = { cwd: program.folder, env, timeout: COMMAND_TIMEOUT_MS }
    try {
      const { stdout } = await promisify(execFile)(process.execPath, ['src/main.ts', ...args], options)
      return { code: 0, output: stdout.trim() }
    } catch (error) {
      const { code, stderr } = error as { code: unknown; stderr: string }
      return { code: Number(code), output: stderr.trim() }
    }
  }

  async function command(program: Program, ...args: string[]): Promise<string> {
    const { code, output } = await end(program, ...args)
    if (code !== 0) throw new Error(`${args.join(' ')} of ${program.version} exited with ${code}: ${output}`)
    return output
  }

  async function start(program: Program, { role, port, settings, isReadyAt }: Starting): Promise<Node> {
    const node = supervise({
      name: `${role} ${program.version}`,
      command: process.execPath,
      args: ['src/main.ts', role],
      options: { cwd: program.folder, env: { ...environment, ...settings } },
      log: join(folder, `${role}-${program.version}-${port}.log`),
      isReady: () => isOk(isReadyAt),
    })
    closers.push(node.stop)
    await node.whenReady()
    return { ...node, program, port, origin: urlOf(port) }
  }

  /** Starts an API; the balancer has it when it is ready. */
  async function startApi(program: Program): Promise<Node> {
    const [port = 0, metricsPort = 0] = await freePorts(2)
    const settings = { PORT: String(port), METRICS_PORT: String(metricsPort) }
    const node = await start(program, { role: 'serve', port, settings, isReadyAt: `${urlOf(port)}/readyz` })
    balancer.add(port)
    return node
  }

  async function startWorker(program: Program): Promise<Node> {
    const [port = 0] = await freePorts(1)
    const settings = { METRICS_PORT: String(port) }
    return start(program, { role: 'work', port, settings, isReadyAt: `${urlOf(port)}/metrics` })
  }

  async function stopApi(node: Node): Promise<void> {
    await balancer.remove(node.port)
    await node.stop()
  }

  await command(first, 'migrate')
  const settings = { PORT: String((await freePorts(1))[0]) }
  await start(first, { role: 'sandbox', port: sandboxPort, settings, isReadyAt: `${sandboxUrl}/sms/messages` })

  return {
    folder,
    closers,
    origin: balancer.origin,
    takeOut: (node: Node) => balancer.remove(node.port),
    end,
    command,
    startApi,
    stopApi,
    startWorker,
    /** What the checks of the fault tests need, with commands of one version. */
    targetOf: (program: Program): Target => ({
      databaseUrl: database.ownerUrl,
      sandboxUrl,
      command: (...args) => command(program, ...args),
      heal: async () => {},
      eventTypes: eventTypesOf(program),
    }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** By its own document. */
function eventTypesOf({ folder }: Program): Set<string> {
  const text = readFileSync(join(folder, 'events.schema.json'), 'utf8')
  return new Set([...text.matchAll(/"const": "([\w.]+)"/g)].map(([, type = '']) => type))
}

const urlOf = (port: number) => `http://127.0.0.1:${port}`

const isOk = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    (response) => response.ok,
    () => false,
  )
