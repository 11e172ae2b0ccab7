import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePorts } from '../support/server.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { type Supervised, supervise } from './processes.ts'
import { startProxy, type Proxy } from './proxy.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const APIS = 2
const WORKERS = 2
const COMMAND_TIMEOUT_MS = 60_000
const PROBE_TIMEOUT_MS = 2_000
const READY_TIMEOUT_MS = 90_000
const POLL_MS = 250

/** Clean-up steps, the last added first. */
export type Closers = (() => Promise<unknown>)[]
export type Say = (line: string) => void

/** An API with its proxy to the database. */
export type Api = Supervised & { origin: string; proxy: Proxy }

/** Everything that runs, each as its own process. */
export type Stage = {
  folder: string
  apis: Api[]
  workers: Supervised[]
  database: Supervised
  /** The database's disk, where the run can fill it. */
  disk: SmallDisk | undefined
  /** As the owner of the tables, bypassing every proxy. */
  databaseUrl: string
  sandboxUrl: string
  /** Runs one command of the program to its end; returns its output. Fails when its exit code is not 0. */
  command(...args: string[]): Promise<string>
  /** Resolves when every process is ready, as reported by every API. */
  heal(): Promise<void>
}

/** What the load and the checks at the end need of a stage. */
export type Target = Pick<Stage, 'databaseUrl' | 'sandboxUrl' | 'command' | 'heal'> & {
  /** What its log of events can show; an earlier version does not know what a later one has sent. All types when it is not given. */
  eventTypes?: ReadonlySet<string>
}

type Opening = { project: string; closers: Closers; say: Say; keep: () => boolean; hasSmallDisk: boolean }

export async function openStage({ project, closers, say, keep, hasSmallDisk }: Opening): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-faults-'))
  closers.push(async () => {
    if (keep()) say(`logs are kept in ${folder}`)
    else await rm(folder, { recursive: true, force: true })
  })
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  const disk = hasSmallDisk ? await mountSmallDisk(join(folder, 'disk')) : undefined
  if (disk) closers.push(async () => disk.unmount())
  const cluster = await startCluster(folder, disk)
  closers.push(cluster.process.stop)
  await cluster.process.whenReady()
  const ports = await freePorts(1 + 2 * APIS + WORKERS)
  const run = await programsOf({ project, folder, cluster, ports })
  await run.command('migrate')
  const sandbox = run.start('sandbox', {
    args: ['sandbox'],
    responsesAt: `${run.sandboxUrl}/sms/messages`,
    settings: {},
  })
  closers.push(sandbox.stop)
  const apis = await startApis(run, { cluster, ports, closers })
  const workers = startWorkers(run, { ports, closers })
  const all = [cluster.process, sandbox, ...apis, ...workers]
  const heal = async () => {
    for (const one of all) one.thaw()
    await Promise.all(all.map((one) => one.whenReady()))
    await untilReady(apis)
  }
  await heal()
  const { command, sandboxUrl } = run
  const database = cluster.process
  return { folder, apis, workers, database, disk, databaseUrl: cluster.ownerUrl, sandboxUrl, command, heal }
}

type Programs = Awaited<ReturnType<typeof programsOf>>
type ScenarioContext = { cluster: Cluster; ports: number[]; closers: Closers }
type Role = { args: string[]; responsesAt: string; settings: Record<string, string> }

/**
 * The environment of all processes of the program, and ways to run it. None of the tester's own settings are passed on.
 */
async function programsOf({
  project,
  folder,
  cluster,
  ports,
}: Omit<ScenarioContext, 'closers'> & Record<'project' | 'folder', string>) {
  const [sandboxPort = 0, firstApiPort = 0] = ports
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: cluster.appUrl(cluster.port),
    PROCESSES: '1',
    PUBLIC_URL: urlOf(firstApiPort),
    SANDBOX_PORT: String(sandboxPort),
    TRUSTED_PROXIES: '1', // each client calls from an IP address of its own
    RATE_LIMIT_PLATFORM: '1000000',
    RATE_LIMIT_BENEFIT_PROVIDER: '1000000',
    RATE_LIMIT_USER: '1000000',
  }
  return {
    sandboxUrl: urlOf(sandboxPort),
    async command(...args: string[]): Promise<string> {
      const settings = { ...env, MIGRATION_DATABASE_URL: cluster.ownerUrl }
      const options = { cwd: project, env: settings, timeout: COMMAND_TIMEOUT_MS }
      const { stdout } = await promisify(execFile)(process.execPath, ['src/main.ts', ...args], options)
      return stdout.trim()
    },
    start: (name: string, { args, responsesAt, settings }: Role): Supervised =>
      supervise({
        name,
        command: process.execPath,
        args: ['src/main.ts', ...args],
        options: { cwd: project, env: { ...env, ...settings } },
        log: join(folder, `${name}.log`),
        isReady: () => isOk(responsesAt),
      }),
  }
}

async function startApis(run: Programs, { cluster, ports, closers }: ScenarioContext): Promise<Api[]> {
  const apis: Api[] = []
  for (let index = 0; index < APIS; index++) {
    const [port = 0, metricsPort = 0] = [ports[1 + index], ports[1 + APIS + index]]
    const proxy = await startProxy(cluster.port)
    closers.push(proxy.close)
    const settings = {
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATABASE_URL: cluster.appUrl(proxy.port),
    }
    const role = { args: ['serve'], responsesAt: `${urlOf(port)}/livez`, settings }
    const api = run.start(`api-${index + 1}`, role)
    closers.push(api.stop)
    apis.push({ ...api, origin: urlOf(port), proxy })
  }
  return apis
}

function startWorkers(run: Programs, { ports, closers }: Omit<ScenarioContext, 'cluster'>): Supervised[] {
  return ports.slice(1 + 2 * APIS).map((port, index) => {
    const role = { args: ['work'], responsesAt: `${urlOf(port)}/metrics`, settings: { METRICS_PORT: String(port) } }
    const worker = run.start(`worker-${index + 1}`, role)
    closers.push(worker.stop)
    return worker
  })
}

async function untilReady(apis: Api[]): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  const areReady = async () => (await Promise.all(apis.map(({ origin }) => isOk(`${origin}/readyz`)))).every(Boolean)
  while (!(await areReady())) {
    if (performance.now() > deadline) throw new Error(`/readyz does not say ready within ${READY_TIMEOUT_MS} ms`)
    await sleep(POLL_MS)
  }
}

const urlOf = (port: number) => `http://127.0.0.1:${port}`

const isOk = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
    (response) => response.ok,
    () => false,
  )
