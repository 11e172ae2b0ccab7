import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Supervised, supervise } from '../faults/processes.ts'
import type { Closers } from '../faults/stage.ts'
import { cloneDatabase } from '../support/database.ts'
import { COMPANIES, newKeys, TWILIO } from '../support/production.ts'
import { freePorts } from '../support/server.ts'

const COMMAND_MS_MAX = 90_000
const PROBE_MS_MAX = 10_000

/** An API of the package; it is replaced by a POST to `replaceUrl`, as `systemctl restart` does it elsewhere. */
export type Api = { address: string; replaceUrl: string; starts(): number }

type Starting = { program: string; folder: string; publicUrl: string }

/** Starts two APIs and a worker of the package, in production, on a database of their own. */
export async function startApis({ program, folder, publicUrl }: Starting, closers: Closers) {
  const database = await cloneDatabase()
  closers.push(database.close)
  const [one = 0, other = 0, control = 0, ...metricsPorts] = await freePorts(6)
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    NODE_ENV: 'production',
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    ...COMPANIES,
    ...TWILIO,
    ...newKeys(),
    DATA_DIR: join(folder, 'data'),
    DATABASE_URL: database.appUrl,
    DATABASE_WAIT_MS: '2000', // a replacement is not to blame for what a busy machine rejects
    DOCUMENT_STORAGE: 'folder',
    HOST: '127.0.0.1',
    PROCESSES: '1',
    PUBLIC_URL: publicUrl,
    TRUSTED_PROXIES: '1',
  }

  const start = (role: 'serve' | 'work', settings: Record<string, string>, isReadyAt: string): Supervised => {
    const node = supervise({
      name: `${role} ${settings['PORT'] ?? ''}`,
      command: process.execPath,
      args: [program, role],
      options: { cwd: folder, env: { ...environment, ...settings } },
      log: join(folder, `${role}-${settings['PORT'] ?? ''}.log`),
      isReady: () => isOk(isReadyAt),
    })
    closers.push(node.stop)
    return node
  }

  const [workerPort, ...apiPorts] = metricsPorts
  const worker = start('work', { METRICS_PORT: String(workerPort) }, `http://127.0.0.1:${workerPort}/metrics`)
  const nodes = [one, other].map((port, index) => {
    const address = `127.0.0.1:${port}`
    const settings = { PORT: String(port), METRICS_PORT: String(apiPorts[index]) }
    const begin = () => start('serve', settings, `http://${address}/readyz`)
    return { address, begin, current: begin(), starts: 1 }
  })
  await Promise.all([worker, ...nodes.map(({ current }) => current)].map((node) => node.whenReady()))

  const server = createServer((request, response) => {
    const node = nodes.find(({ address }) => request.url === `/replace/${address}`)
    if (request.method !== 'POST' || !node) return void response.writeHead(404).end()
    void node.current.stop().then(() => {
      node.current = node.begin()
      node.starts++
      response.end()
    })
  }).listen(control, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => void server.close())

  return {
    apis: nodes.map(
      (node): Api => ({
        address: node.address,
        replaceUrl: `http://127.0.0.1:${control}/replace/${node.address}`,
        starts: () => node.starts,
      }),
    ),
    logs: [one, other].map((port) => join(folder, `serve-${port}.log`)),
    /** How often one of them ended by itself. */
    ownEnds: () => nodes.map(({ current }) => current.ownEnds()),
    async command(...args: string[]): Promise<string> {
      const options = { cwd: folder, env: environment, timeout: COMMAND_MS_MAX }
      return (await promisify(execFile)(process.execPath, [program, ...args], options)).stdout.trim()
    },
  }
}

export const isOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(PROBE_MS_MAX) }).then(
    ({ ok }) => ok,
    () => false,
  )
