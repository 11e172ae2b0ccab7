import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPostgres, startPostgres } from '../dump/debian-postgres.ts'
import { type Supervised, supervise } from '../faults/processes.ts'
import type { Closers } from '../faults/stage.ts'
import { newBucket, startSwift } from '../s3/swift-server.ts'
import { COMPANIES, newKeys, TWILIO } from '../support/production.ts'
import { freePorts } from '../support/server.ts'
import type { Delivered } from './programs.ts'

const COMMAND_MS_MAX = 90_000
const PROBE_MS_MAX = 10_000

/** An API; it is replaced by a POST to `replaceUrl`, as `systemctl restart` does it elsewhere. */
export type Api = {
  address: string
  replaceUrl: string
  /** The exit codes of those that were replaced. */
  ends: (number | null)[]
}

type Starting = { delivered: Delivered; folder: string; publicUrl: string }

/** Migrates a new database, and starts two APIs and a worker on it, in production, with documents in S3. */
export async function startApis({ delivered, folder, publicUrl }: Starting, closers: Closers) {
  const database = await newDatabase(join(folder, 'database'), closers)
  const [one = 0, other = 0, control = 0, ...metricsPorts] = await freePorts(6)
  const environment = {
    NODE_ENV: 'production',
    ...COMPANIES,
    ...TWILIO,
    ...newKeys(),
    ...(await newStorage(closers)),
    DATABASE_URL: database.appUrl,
    DATABASE_WAIT_MS: '2000', // a replacement is not to blame for what a busy machine rejects
    HOST: '127.0.0.1',
    PROCESSES: '1',
    PUBLIC_URL: publicUrl,
    TRUSTED_PROXIES: '1',
  }

  async function command(args: string[], settings: Record<string, string> = {}): Promise<string> {
    const { command, args: all, env } = await delivered.commandOf(args, { ...environment, ...settings })
    return (await promisify(execFile)(command, all, { cwd: folder, env, timeout: COMMAND_MS_MAX })).stdout.trim()
  }

  /** Returns what starts a process, which is the same each time. */
  async function prepare(role: 'serve' | 'work', settings: Record<string, string>, isReadyAt: string) {
    const name = `${role}-${settings['PORT'] ?? ''}`
    const { env, ...started } = await delivered.commandOf([role], { ...environment, ...settings })
    return (): Supervised => {
      const options = { cwd: folder, env }
      const log = join(folder, `${name}.log`)
      const node = supervise({ name, ...started, options, log, isReady: () => isOk(isReadyAt) })
      closers.push(node.stop)
      return node
    }
  }

  await command(['migrate'], { MIGRATION_DATABASE_URL: database.ownerUrl })
  const [workerPort, ...apiPorts] = metricsPorts
  const work = await prepare('work', { METRICS_PORT: String(workerPort) }, `http://127.0.0.1:${workerPort}/metrics`)
  const worker = work()
  const nodes = await Promise.all(
    [one, other].map(async (port, index) => {
      const address = `127.0.0.1:${port}`
      const settings = { PORT: String(port), METRICS_PORT: String(apiPorts[index]) }
      const begin = await prepare('serve', settings, `http://${address}/readyz`)
      return { address, begin, current: begin(), ends: [] as (number | null)[] }
    }),
  )
  await Promise.all([worker, ...nodes.map(({ current }) => current)].map((node) => node.whenReady()))

  const server = createServer((request, response) => {
    const node = nodes.find(({ address }) => request.url === `/replace/${address}`)
    if (request.method !== 'POST' || !node) return void response.writeHead(404).end()
    void node.current.stop().then((code) => {
      node.ends.push(code)
      node.current = node.begin()
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
        ends: node.ends,
      }),
    ),
    logs: [one, other].map((port) => join(folder, `serve-${port}.log`)),
    /** How often one of them ended by itself. */
    ownEnds: () => nodes.map(({ current }) => current.ownEnds()),
    command,
  }
}

/** A PostgreSQL with the two roles of docs/operators/two-nodes.md. */
async function newDatabase(folder: string, closers: Closers) {
  const { query, urlOf, stop } = await startPostgres(await findPostgres(), folder)
  closers.push(stop)
  for (const role of ['banyan_owner', 'banyan_app']) await query(`create role ${role} login`)
  await query('create database banyan owner banyan_owner')
  return { ownerUrl: urlOf('banyan_owner', 'banyan'), appUrl: urlOf('banyan_app', 'banyan') }
}

async function newStorage(closers: Closers) {
  const { access, stop } = await startSwift()
  closers.push(stop)
  return {
    DOCUMENT_STORAGE: 's3',
    S3_BUCKET: await newBucket(access),
    S3_ENDPOINT: access.endpoint,
    S3_REGION: access.region,
    S3_FORCE_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: access.credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: access.credentials.secretAccessKey,
  }
}

export const isOk = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(PROBE_MS_MAX) }).then(
    ({ ok }) => ok,
    () => false,
  )
