import { access, constants, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Inspected } from '../../settings/config.ts'
import { readDiskSpace } from '../../kernel/disk-space.ts'
import { callJson } from '../../kernel/outbound/call-json.ts'
import { programFile } from '../../kernel/program-files.ts'
import { BUILD, isOlderVersion } from '../../kernel/program-version.ts'
import { checkStorage } from '../../kernel/storage/check-storage.ts'
import { createStorage } from '../../kernel/storage/create-storage.ts'
import { StartError } from '../../kernel/start-error.ts'
import { type Check, failing, type Finding, ok, describeReason, skipped, warning } from './finding.ts'

const MIB = 1024 * 1024
const FREE_MIB_MIN = 200
const FREE_MIB_USUAL = 2_048
/** Metrics of a busy program take a while; a check has five seconds. */
const PORT_MS_MAX = 4_000

/** Checks of this machine: program, settings, ports, disk and the storage of documents. */
export const machineChecks = (inspected: Inspected): Check[] => [
  { name: 'versions', run: checkVersions },
  { name: 'settings', run: async () => checkSettings(inspected) },
  { name: 'ports', run: () => checkPorts(inspected.config) },
  { name: 'disk', run: () => checkDisk(inspected.config) },
  { name: 'documents', run: () => checkDocuments(inspected.config.storage) },
]

async function checkVersions(): Promise<Finding> {
  const { node } = process.versions
  const needed = nodeNeeded()
  if (isOlderVersion(node, needed)) return failing(`This is Node ${node}.`, `Run it with Node ${needed} or later.`)
  return ok(`Banyan ${BUILD} on Node ${node}, ${process.platform} ${process.arch}`)
}

/** The oldest version of Node, as the package says. */
function nodeNeeded(): string {
  const { engines } = JSON.parse(readFileSync(programFile('package.json'), 'utf8')) as {
    engines: { node: string }
  }
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(engines.node) ?? []
  return `${major}.${minor}.0`
}

function checkSettings({ config, keys, errors }: Inspected): Finding[] {
  if (errors.length > 0)
    return errors.map((sentence) =>
      failing(sentence, '`banyan config` prints what holds; docs/reference/settings.md has all settings.'),
    )
  const mode = config.production ? 'production' : 'development'
  return [
    ok(`all valid, for ${mode}`),
    ...(config.production && !config.origin.startsWith('https:')
      ? [
          warning(
            'PUBLIC_URL is not https: anybody on the way can read tokens and personal data.',
            'Terminate TLS at a proxy in front, and set PUBLIC_URL to its https address.',
          ),
        ]
      : []),
    ...(keys === null ? [skipped('the first start makes keys in the data folder')] : []),
  ]
}

type Config = Inspected['config']

async function checkPorts(config: Config): Promise<Finding[]> {
  const { host, port, metricsHost, metricsPort, sandboxPort, production } = config
  const ports = [
    { setting: 'PORT', host, port, path: '/livez', readiness: '/readyz' },
    { setting: 'METRICS_PORT', host: metricsHost, port: metricsPort, path: '/metrics' },
    ...(production ? [] : [{ setting: 'SANDBOX_PORT', host, port: sandboxPort, path: '/' }]),
  ]
  return Promise.all(ports.map(checkPort))
}

type Port = { setting: string; host: string; port: number; path: string; readiness?: string }

async function checkPort({ setting, host, port, path, readiness }: Port): Promise<Finding> {
  const code = await tryToListen(host, port)
  if (code === undefined) return ok(`${setting} ${port} is free`)
  if (code === 'EADDRINUSE') {
    const reached = host === '0.0.0.0' || host === '::' ? 'localhost' : host
    const origin = `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
    // Without the body: after a day of requests, the metrics are longer than what is read of a response.
    const responds = await callJson({
      company: 'itself',
      method: 'HEAD',
      url: origin + path,
      timeout_ms: PORT_MS_MAX,
    }).then(
      ({ status }) => status === 200,
      () => false,
    )
    const served = ok(`${setting} ${port} is served by a running program`)
    if (responds) return readiness === undefined ? served : ((await findUnready(origin, readiness)) ?? served)
    return failing(`Another program uses ${setting} ${port}.`, `Stop it, or set another ${setting}.`)
  }
  if (code === 'EACCES')
    return failing(`This account may not listen on ${setting} ${port}.`, 'Choose a port above 1023, behind a proxy.')
  return failing(`Nothing can listen on ${host}, ${setting} ${port}: ${code}.`, 'Set an address that this machine has.')
}

/** Returns what a running API says it lacks; undefined when it can serve. */
async function findUnready(origin: string, path: string): Promise<Finding | undefined> {
  const url = origin + path
  const { status, body } = await callJson({ company: 'itself', method: 'GET', url, timeout_ms: PORT_MS_MAX })
  if (status === 200) return undefined
  const { checks = {} } = (body ?? {}) as { checks?: Record<string, unknown> }
  const failed = Object.entries(checks).filter(([, state]) => state !== 'ok')
  const names = failed.map(([name, state]) => `${name} ${String(state)}`).join(', ') || 'it is closing'
  return failing(
    `The running program at ${origin} takes no requests: ${path} is ${status}: ${names}.`,
    'The other checks say why; the log of the program has more.',
  )
}

/** Returns why the port cannot be listened on; undefined when it can. */
async function tryToListen(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
    await once(server.close(), 'close')
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

async function checkDisk({ dataDir, storage }: Config): Promise<Finding[]> {
  const folders = new Set([await existingAbove(dataDir), tmpdir()])
  if (storage.kind === 'folder') folders.add(await existingAbove(storage.folder))
  return Promise.all([...folders].map(checkFree))
}

async function checkFree(folder: string): Promise<Finding> {
  const { free_bytes } = await readDiskSpace(folder)
  const free_MiB = Math.floor(free_bytes / MIB)
  const message = `${folder} has ${free_MiB} MiB free.`
  const remedy = 'Free some space, or enlarge the disk: on a full disk nothing is written.'
  if (free_MiB < FREE_MIB_MIN) return failing(message, remedy)
  return free_MiB < FREE_MIB_USUAL
    ? warning(message, remedy)
    : ok(`${folder} has ${Math.floor(free_MiB / 1024)} GiB free`)
}

/** Returns the folder, or the nearest one above it that exists. */
async function existingAbove(folder: string): Promise<string> {
  const stats = await stat(folder).catch(() => undefined)
  return stats?.isDirectory() || dirname(folder) === folder ? folder : existingAbove(dirname(folder))
}

const checkDocuments = (storage: Config['storage']): Promise<Finding> =>
  storage.kind === 'folder' ? checkFolder(storage.folder) : checkBucket(storage)

/** Writes nothing: asks the system whether the program may. */
async function checkFolder(folder: string): Promise<Finding> {
  const remedy = 'Give the account of the program this folder, or set DOCUMENT_FOLDER to another one.'
  const above = await existingAbove(folder)
  const isThere = above === folder
  const blocking = isThere ? undefined : await stat(folder).catch((error: NodeJS.ErrnoException) => error.code)
  if (blocking !== undefined && blocking !== 'ENOENT') return failing(`${folder} is no folder.`, remedy)
  try {
    await access(above, constants.W_OK | constants.X_OK)
  } catch (error) {
    return failing(`${above} cannot be written: ${(error as NodeJS.ErrnoException).code}.`, remedy)
  }
  return ok(isThere ? `${folder} can be written` : `${folder} will be created`)
}

async function checkBucket(storage: Extract<Config['storage'], { kind: 's3' }>): Promise<Finding> {
  const remedy = 'Check S3_BUCKET, S3_REGION, S3_ENDPOINT, the S3 keys, and the way to the server.'
  const causes: unknown[] = []
  try {
    await checkStorage(await createStorage(storage), (cause) => causes.push(cause))
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return failing(error.message, remedy)
  }
  if (causes.length > 0)
    return failing(`The bucket ${storage.bucket} does not respond: ${describeReason(causes[0])}.`, remedy)
  return ok(`the bucket ${storage.bucket} can be read; whether it can be written shows at the first upload`)
}
