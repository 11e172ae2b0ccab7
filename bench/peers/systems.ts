import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Closers, freePorts, startProcess } from '../processes.ts'
import type { Say, Stage } from '../stage.ts'

/** A server that can be measured. */
export type System = { name: string; url: string; pid: () => number }

type PeerSettings = { name: string; folder: string | null; program: string; args: string[]; build?: boolean }

/** Each written as its own documentation shows. */
const PEERS: PeerSettings[] = [
  { name: 'node:http + pg', folder: null, program: process.execPath, args: ['floor.ts'] },
  { name: 'Elysia on Bun', folder: 'elysia', program: 'node_modules/bun/bin/bun.exe', args: ['server.ts'] },
  { name: 'Fastify + Drizzle', folder: 'drizzle', program: process.execPath, args: ['server.ts'] },
  { name: 'NestJS + Prisma', folder: 'nest', program: process.execPath, args: ['dist/main.js'], build: true },
]

export const PEER_NAMES = PEERS.map(({ name }) => name)

const SOURCES = new URL('.', import.meta.url).pathname
/** Outside of the folders that the project's own tools read. */
const INSTALLED = new URL('../../.peers/', import.meta.url).pathname
const INSTALL_TIMEOUT_MS = 300_000
const run = promisify(execFile)

export type PeerContext = { stage: Stage; closers: Closers; say: Say; databaseUrl: string; folder: string }

/** Installs, builds and starts the peers, with the pool size and the signing key of the product. */
export async function startPeers(context: PeerContext): Promise<System[]> {
  const systems: System[] = []
  for (const peer of PEERS) {
    context.say(`starting ${peer.name}`)
    systems.push(await startPeer(peer, context))
  }
  return systems
}

async function startPeer({ name, folder, program, args, build }: PeerSettings, context: PeerContext): Promise<System> {
  const { stage, closers, databaseUrl } = context
  const home = folder === null ? SOURCES : await install(folder, { build: build ?? false })
  const [port = ''] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const { config } = stage
  const [signer] = config.keys.signingKeys
  const settings = {
    NODE_ENV: 'production',
    PATH: process.env['PATH'] ?? '',
    PORT: port,
    DATABASE_URL: databaseUrl,
    POOL_SIZE: String(config.poolSize),
    ISSUER: config.origin,
    SIGNING_JWK: JSON.stringify({ ...signer?.privateKey.export({ format: 'jwk' }), kid: signer?.kid }),
  }
  const inHome = (part: string) => (part.includes('/') || part.endsWith('.ts') ? join(home, part) : part)
  const node = program.startsWith('/') ? program : join(home, program)
  const log = join(context.folder, `${folder ?? 'floor'}.log`)
  const started = await startProcess(args.map(inHome), { node, settings, log, url, closers })
  return { name, url, pid: () => started.pid }
}

/** Copies a peer's sources next to its packages, which are installed when its lock file has changed. */
async function install(folder: string, { build }: { build: boolean }): Promise<string> {
  const source = join(SOURCES, folder)
  const home = join(INSTALLED, folder)
  const lockIn = (place: string) => readFile(join(place, 'package-lock.json'), 'utf8').catch(() => '')
  const isInstalled = existsSync(join(home, 'node_modules')) && (await lockIn(home)) === (await lockIn(source))
  if (!isInstalled) await rm(home, { recursive: true, force: true })
  await mkdir(home, { recursive: true })
  const isOwn = (path: string) => !/\/(node_modules|dist|generated)(\/|$)/.test(path.slice(source.length))
  await cp(source, home, { recursive: true, filter: isOwn })
  // Generating Prisma's client asks for its schema engine and does not need it.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' }
  const npm = (...args: string[]) => run('npm', args, { cwd: home, env, timeout: INSTALL_TIMEOUT_MS })
  if (!isInstalled) await npm('ci', '--no-audit', '--no-fund')
  if (build) await npm('run', 'build')
  return home
}
