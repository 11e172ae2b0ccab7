import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Closers, freePorts, startProcess } from '../processes.ts'
import type { Say, Stage } from '../stage.ts'

/** What a system keeps its rows in: peers are bare, or they keep the product's promises. */
export type Kind = 'product' | 'bare' | 'promises'
/** A server that can be measured. */
export type System = { name: string; kind: Kind; url: string; pid: () => number }

type PeerSettings = {
  name: string
  kind: 'bare' | 'promises'
  folder: string | null
  program: string
  args: string[]
  build?: boolean
}

const NODE = process.execPath
const BUN = 'node_modules/bun/bin/bun.exe'

/** Each written as its own documentation shows; with promises, as its experts would. */
const PEERS: PeerSettings[] = [
  { name: 'node:http + pg', kind: 'bare', folder: null, program: NODE, args: ['floor.ts'] },
  { name: 'Elysia on Bun', kind: 'bare', folder: 'elysia', program: BUN, args: ['server.ts'] },
  { name: 'Elysia on Bun, same promises', kind: 'promises', folder: 'elysia', program: BUN, args: ['promises.ts'] },
  { name: 'Fastify + Drizzle', kind: 'bare', folder: 'drizzle', program: NODE, args: ['server.ts'] },
  {
    name: 'Fastify + Drizzle, same promises',
    kind: 'promises',
    folder: 'drizzle',
    program: NODE,
    args: ['promises.ts'],
  },
  { name: 'NestJS + Prisma', kind: 'bare', folder: 'nest', program: NODE, args: ['dist/main.js'], build: true },
]

export const PEER_NAMES = PEERS.map(({ name }) => name)

const SOURCES = new URL('.', import.meta.url).pathname
/** Outside of the folders that the project's own tools read. */
const INSTALLED = new URL('../../.peers/', import.meta.url).pathname
const INSTALL_TIMEOUT_MS = 300_000
const run = promisify(execFile)

/** `settings` are those of each kind, with the database. */
export type PeerContext = {
  stage: Stage
  closers: Closers
  say: Say
  settings: Record<PeerSettings['kind'], Record<string, string>>
  folder: string
}

/** Installs, builds and starts the peers, with the pool size and the signing key of the product. */
export async function startPeers(context: PeerContext): Promise<System[]> {
  const systems: System[] = []
  for (const peer of PEERS) {
    context.say(`starting ${peer.name}`)
    systems.push(await startPeer(peer, context))
  }
  return systems
}

async function startPeer(peer: PeerSettings, context: PeerContext): Promise<System> {
  const { name, kind, folder, program, args, build } = peer
  const { stage, closers } = context
  const home = folder === null ? SOURCES : await install(folder, { build: build ?? false })
  const [port = ''] = await freePorts(1)
  const url = `http://127.0.0.1:${port}`
  const { config } = stage
  const [signer] = config.keys.signingKeys
  const settings = {
    NODE_ENV: 'production',
    PATH: process.env['PATH'] ?? '',
    PORT: port,
    POOL_SIZE: String(config.poolSize),
    ISSUER: config.origin,
    SIGNING_JWK: JSON.stringify({ ...signer?.privateKey.export({ format: 'jwk' }), kid: signer?.kid }),
    ...context.settings[kind],
  }
  const inHome = (part: string) => (part.includes('/') || part.endsWith('.ts') ? join(home, part) : part)
  const node = program.startsWith('/') ? program : join(home, program)
  const log = join(context.folder, `${folder ?? 'floor'}-${kind}.log`)
  const started = await startProcess(args.map(inHome), { node, settings, log, url, closers })
  return { name, kind, url, pid: () => started.pid }
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
  await cp(join(SOURCES, 'promises'), join(INSTALLED, 'promises'), { recursive: true })
  // Generating Prisma's client asks for its schema engine and does not need it.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true' }
  const npm = (...args: string[]) => run('npm', args, { cwd: home, env, timeout: INSTALL_TIMEOUT_MS })
  if (!isInstalled) await npm('ci', '--no-audit', '--no-fund')
  if (build) await npm('run', 'build')
  return home
}
