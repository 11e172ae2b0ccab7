import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeKeyTexts } from '../src/access/keys.ts'
import { type Config, loadConfig } from '../src/config.ts'
import { type Embedded, startEmbedded } from '../src/kernel/db/embedded.ts'

const START_TIMEOUT_MS = 30_000
const STOP_TIMEOUT_MS = 10_000
const POLL_MS = 100
const LOG_TAIL_CHARACTERS = 2_000

const PRODUCT = new URL('../src/main.ts', import.meta.url).pathname
const FLOOR = new URL('floor.ts', import.meta.url).pathname

/** What to undo at the end, the last first. */
export type Closers = (() => Promise<unknown>)[]
export type Say = (line: string) => void
type Environment = Record<string, string>

/** The addresses of product and floor, and the settings that both have. */
export type Stage = { config: Config; productUrl: string; floorUrl: string }

/** Starts database, product and floor, the last two in processes of their own with the same production settings. */
export async function openStage(
  closers: Closers,
  { profile, say }: { profile: string | undefined; say: Say },
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-bench-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  say('starting the database, fsync on')
  const { appUrl, ownerUrl } = await openDatabase(folder, closers)
  const [productPort, floorPort, metricsPort, sandboxPort] = (await freePorts(4)) as [number, number, number, number]
  const productUrl = `http://127.0.0.1:${productPort}`
  const floorUrl = `http://127.0.0.1:${floorPort}`
  const settings: Environment = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    HOST: '127.0.0.1',
    PORT: String(productPort),
    METRICS_PORT: String(metricsPort),
    SANDBOX_PORT: String(sandboxPort),
    PUBLIC_URL: productUrl,
    DATABASE_URL: appUrl,
    MIGRATION_DATABASE_URL: ownerUrl,
    BANK_URL: `http://127.0.0.1:${sandboxPort}/bank`,
    BANK_API_KEY: 'bench',
    OPERATOR_URL: `http://127.0.0.1:${sandboxPort}/operator`,
    OPERATOR_API_KEY: 'bench',
    OPERATOR_SECRET: 'no-operator-calls-the-bench',
    TWILIO_ACCOUNT_SID: 'bench',
    TWILIO_AUTH_TOKEN: 'bench',
    TWILIO_FROM: '+10000000000',
    DOCUMENT_STORAGE: 'folder',
    DOCUMENT_FOLDER: join(folder, 'documents'),
    ...makeKeyTexts(folder),
  }
  await promisify(execFile)(process.execPath, [PRODUCT, 'migrate'], { env: settings })

  const profiling = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', resolve(profile)]
  const log = (name: string) => join(folder, `${name}.log`)
  await startServer([...profiling, PRODUCT, 'serve'], { settings, log: log('product'), url: productUrl, closers })
  const forFloor = { ...settings, PORT: String(floorPort) }
  await startServer([FLOOR], { settings: forFloor, log: log('floor'), url: floorUrl, closers })
  return { config: loadConfig(settings), productUrl, floorUrl }
}

/** The closer goes first: a start that is interrupted still ends in a stop. */
export function openDatabase(dataDir: string, closers: Closers): Promise<Embedded> {
  const starting = startEmbedded({ dataDir })
  closers.push(async () => (await starting.catch(() => undefined))?.stop())
  return starting
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

type Starting = { settings: Environment; log: string; url: string; closers: Closers }

/** Resolves when the server answers anything at all. */
export async function startServer(args: string[], { settings, log, url, closers }: Starting): Promise<void> {
  const output = openSync(log, 'a')
  // A process group of its own: Ctrl-C reaches this program alone, which then stops the others in order.
  const child = spawn(process.execPath, args, { env: settings, stdio: ['ignore', output, output], detached: true })
  closers.push(() => stopServer(child))
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      throw new Error(`${args.join(' ')} did not start:\n${readFileSync(log, 'utf8').slice(-LOG_TAIL_CHARACTERS)}`)
    }
    await sleep(POLL_MS)
  }
}

const answers = (url: string) =>
  fetch(`${url}/livez`).then(
    () => true,
    () => false,
  )

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const inTime = await Promise.race([ended.then(() => true), sleep(STOP_TIMEOUT_MS, false, { ref: false })])
  if (!inTime) child.kill('SIGKILL')
}
