import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const FETCH_MS_MAX = 300_000
const UNPACK_MS_MAX = 60_000
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024

const CACHE = new URL('../../node_modules/.cache/debian-packages/', import.meta.url).pathname

/**
 * Unpacks Debian packages with all dependencies that this machine lacks into a folder: nothing is installed, and no
 * root is needed. Returns the folder. It is kept, and runs on this release only.
 */
export async function unpackPackages(names: string[]): Promise<string> {
  const folder = join(CACHE, `${releaseName()}-${process.arch}`, names.join('+'))
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const half = await mkdtemp(`${folder}.`)
  try {
    const packages = await fetchPackages(names, join(half, 'apt'))
    const unpacked = join(half, 'unpacked')
    for (const path of packages) await run('dpkg', ['-x', path, unpacked], { timeout: UNPACK_MS_MAX })
    await rename(unpacked, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error // another run was quicker
    })
    return folder
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

type Program = { path: string; environment: Record<string, string> }

/** Finds a program of this machine, or in Debian's packages. */
export async function findProgram(name: string, path: string): Promise<Program> {
  const known = [`/${path}`, ...(process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))]
  const installed = known.find((file) => existsSync(file))
  if (installed !== undefined) return { path: installed, environment: {} }
  const root = await unpackPackages([name])
  return { path: join(root, path), environment: { LD_LIBRARY_PATH: librariesIn(root) } }
}

/** The folders of shared libraries among unpacked packages, for `LD_LIBRARY_PATH`. */
export function librariesIn(root: string): string {
  const folders = ['lib', 'usr/lib'].map((folder) => join(root, folder)).filter((folder) => existsSync(folder))
  const systems = folders
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.endsWith('-linux-gnu'))
  // One library is a folder deeper, where installed packages find it themselves.
  return systems.flatMap((path) => [path, join(path, 'pulseaudio')]).join(':')
}

/** Debian and its version, as Debian names them. */
function releaseName(): string {
  const text = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  const value = (name: string) => new RegExp(`^${name}="?([\\w.]+)`, 'm').exec(text)?.[1] ?? 'unknown'
  return `${value('ID')}-${value('VERSION_ID')}`
}

/** With package lists of its own: those of the machine may be outdated or missing. */
async function fetchPackages(names: string[], folder: string): Promise<string[]> {
  const archives = join(folder, 'cache', 'archives')
  await mkdir(join(folder, 'state', 'lists', 'partial'), { recursive: true })
  await mkdir(join(archives, 'partial'), { recursive: true })
  const settings = [
    `Dir::State=${join(folder, 'state')}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${join(folder, 'cache')}`,
    'APT::Sandbox::User=root', // apt's own account cannot reach our folder
    'Debug::NoLocking=1', // nothing on the machine is changed, and its lock belongs to root
    'Acquire::Languages=none',
    'Acquire::Retries=3',
    'Acquire::http::Timeout=15',
    'Acquire::https::Timeout=15',
  ].flatMap((setting) => ['-o', setting])
  const apt = (...args: string[]) =>
    run('apt-get', [...settings, '-q', '-y', ...args], { timeout: FETCH_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX })

  // One of many lists may be unavailable, if the packages are on the others.
  const update = await apt('update').catch((error: unknown) => error as AptError)
  await apt('install', '--download-only', '--no-install-recommends', ...names).catch((error: unknown) => {
    throw new Error(explain(error as AptError, update))
  })
  const files = await readdir(archives)
  return files.filter((name) => name.endsWith('.deb')).map((name) => join(archives, name))
}

type AptError = Error & { code?: unknown; killed?: boolean; stderr?: string }

/** What apt printed first when it contacted the mirror, and its final error. */
function explain(error: AptError, update: { stderr?: string }): string {
  if (error.code === 'ENOENT') return 'There is no apt-get here; the packages are those of Debian or Ubuntu.'
  const wordsOf = ({ stderr = '' }) => stderr.split('\n').filter((line) => /^[EW]: /.test(line))
  const [asked] = wordsOf(update)
  const [refused = error.killed ? `nothing came within ${FETCH_MS_MAX / 1000} seconds` : error.message] = wordsOf(error)
  return `The packages could not be fetched from Debian's mirror. ${[asked, refused].filter(Boolean).join(' ')}`
}
