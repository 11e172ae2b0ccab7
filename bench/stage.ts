import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeKeyTexts } from '../src/settings/keys.ts'
import { type Config, loadConfig } from '../src/settings/config.ts'
import { type Embedded, startEmbedded } from '../src/kernel/embedded-postgres/embedded.ts'
import { type Closers, freePorts, type Process, startProcess } from './processes.ts'

const FLOOR = new URL('floor.ts', import.meta.url).pathname

export type Say = (line: string) => void

/** The database, the product, the common settings of all processes, and the processes a part may start. */
export type Stage = {
  config: Config
  productUrl: string
  floorUrl: string
  readonly productPid: number
  restartProduct(): Promise<void>
  /** Starts a separate process; it ends when the part stops it, or with the stage. */
  start(role: 'floor' | 'worker' | 'sandbox', own?: Record<string, string>): Promise<Process>
  /** Returns the `Authorization` header of an administrator, valid for a quarter of an hour. */
  administrator(role: 'owner' | 'viewer'): Promise<string>
}

/** A checkout of the product, and its Node. */
export type Version = { checkout: string; node: string }
export const OWN_VERSION: Version = { checkout: new URL('..', import.meta.url).pathname, node: process.execPath }

type Settings = {
  say: Say
  /** Arguments of Node for the product. */
  nodeArguments?: string[]
  version?: Version
  /** Settings of the database server. */
  serverSettings?: Record<string, string>
  /** The number of API processes of the product. */
  processes?: number
}

/** Starts the database and the product, with production settings. */
export async function openStage(closers: Closers, { say, ...options }: Settings): Promise<Stage> {
  const { version = OWN_VERSION, serverSettings = {}, processes = 1, nodeArguments = [] } = options
  const program = join(version.checkout, 'src/main.ts')
  const flags = await nodeFlags(version)
  const folder = await mkdtemp(join(tmpdir(), 'banyan-bench-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  say('starting the database, fsync on')
  const settings = await settingsOn(await connectDatabase({ dataDir: folder, serverSettings }, closers), folder)
  const command = (...args: string[]) => promisify(execFile)(version.node, [program, ...args], { env: settings })
  await command('migrate')
  const [floorPort = '', workerMetricsPort = ''] = await freePorts(2)
  const roles = {
    product: {
      args: [...flags, ...nodeArguments, program, 'serve'],
      port: settings.PORT,
      own: { PROCESSES: String(processes) },
    },
    floor: { args: [FLOOR], port: floorPort, own: { PORT: floorPort } },
    worker: { args: [...flags, program, 'work'], port: workerMetricsPort, own: { METRICS_PORT: workerMetricsPort } },
    sandbox: { args: [program, 'sandbox'], port: settings.SANDBOX_PORT, own: { NODE_ENV: 'development' } },
  }
  const start = (role: keyof typeof roles, also: Record<string, string> = {}) => {
    const { args, port, own } = roles[role]
    const log = join(folder, `${role}.log`)
    const { node } = version
    return startProcess(args, { node, settings: { ...settings, ...own, ...also }, log, url: urlOf(port), closers })
  }
  let product = await start('product')
  const config = loadConfig(settings)
  return {
    config,
    productUrl: config.origin,
    floorUrl: urlOf(floorPort),
    get productPid() {
      return product.pid
    },
    async restartProduct() {
      await product.stop()
      product = await start('product')
    },
    start,
    administrator: async (role) => `Bearer ${(await command('token', '--role', role)).stdout.trim()}`,
  }
}

/** Returns the flags of Node with which the scripts of a version start it. */
async function nodeFlags({ checkout }: Version): Promise<string[]> {
  const { config } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as { config?: { node: string } }
  return config?.node.split(' ') ?? []
}

/** Returns the settings of production, with the sandbox as the only company. */
export async function settingsOn({ appUrl, ownerUrl }: Pick<Embedded, 'appUrl' | 'ownerUrl'>, folder: string) {
  const [port = '', metricsPort = '', sandboxPort = ''] = await freePorts(3)
  return {
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: join(OWN_VERSION.checkout, 'node_modules/.cache/node'), // as the scripts of `package.json` do
    LOG_LEVEL: 'info',
    HOST: '127.0.0.1',
    PORT: port,
    METRICS_PORT: metricsPort,
    SANDBOX_PORT: sandboxPort,
    PUBLIC_URL: urlOf(port),
    DATA_DIR: folder,
    DATABASE_URL: appUrl,
    MIGRATION_DATABASE_URL: ownerUrl,
    ACCOUNT_PROVIDER_URL: `${urlOf(sandboxPort)}/account_provider`,
    ACCOUNT_PROVIDER_API_KEY: 'bench',
    OPERATOR_URL: `${urlOf(sandboxPort)}/operator`,
    OPERATOR_API_KEY: 'bench',
    OPERATOR_SECRET: 'the-operator-of-the-bench-signs-with-this',
    TWILIO_ACCOUNT_SID: 'bench',
    TWILIO_AUTH_TOKEN: 'bench',
    TWILIO_FROM: '+10000000000',
    DOCUMENT_STORAGE: 'folder',
    DOCUMENT_FOLDER: join(folder, 'documents'),
    // The bench measures speed, not rate limits.
    DATABASE_WAIT_MS: '2000',
    RATE_LIMIT_PLATFORM: '1000000',
    RATE_LIMIT_BENEFIT_PROVIDER: '1000000',
    RATE_LIMIT_USER: '1000000',
    TOKENS_PER_MINUTE: '1000000',
    REFRESHES_PER_MINUTE_OF_ADDRESS: '1000000',
    ...makeKeyTexts(folder),
  }
}

const urlOf = (port: string) => `http://127.0.0.1:${port}`

/** Registers the cleanup first, so that an interrupted start is stopped too. */
function connectDatabase(settings: Parameters<typeof startEmbedded>[0], closers: Closers): Promise<Embedded> {
  const starting = startEmbedded(settings)
  closers.push(async () => (await starting.catch(() => undefined))?.stop())
  return starting
}
