import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const FETCH_MS_MAX = 300_000
const UNPACK_MS_MAX = 60_000
const OUTPUT_BYTES_MAX = 8 * 1024 * 1024

const CACHE = new URL('../../node_modules/.cache/debian-packages/', import.meta.url).pathname
/** Of this release, because what is unpacked runs on no other. */
const HERE = join(CACHE, `${releaseName()}-${process.arch}`)

const folderOf = (names: string[]) => join(HERE, names.join('+'))

/** Packages that are unpacked into one folder, and the file that this machine has where they are installed. */
type PackageSet = { names: string[]; installed?: string }

/** What the tiers take from Debian. */
export const PACKAGE_SETS: readonly PackageSet[] = [
  { names: ['chromium'], installed: '/usr/bin/chromium' },
  { names: ['haproxy'], installed: '/usr/sbin/haproxy' },
  { names: ['libopenapi-client-perl'] },
  { names: ['nginx'], installed: '/usr/sbin/nginx' },
  { names: ['pgbouncer'], installed: '/usr/sbin/pgbouncer' },
  { names: ['pgpool2'], installed: '/usr/sbin/pgpool' },
  { names: ['postgresql'], installed: '/usr/lib/postgresql' },
  { names: ['prometheus'], installed: '/usr/bin/promtool' },
  { names: ['python3-swift', 'python3-lxml'] },
  { names: ['socat'], installed: '/usr/bin/socat' },
  { names: ['systemd'], installed: '/usr/bin/systemd-analyze' },
  { names: ['systemd-container'], installed: '/usr/bin/systemd-nspawn' },
]

/**
 * Unpacks Debian packages with all dependencies that this machine lacks into a folder: nothing is installed, and no
 * root is needed. Returns the folder. It is kept, and runs on this release only.
 */
export async function unpackPackages(names: string[]): Promise<string> {
  await unpackSets([{ names }])
  return folderOf(names)
}

/** Unpacks each set that this machine lacks into a folder of its own, with one update of the lists. */
export async function unpackSets(sets: readonly PackageSet[]): Promise<void> {
  const missing = sets.filter(
    ({ names, installed }) => !existsSync(folderOf(names)) && (installed === undefined || !existsSync(installed)),
  )
  if (missing.length === 0) return
  await mkdir(HERE, { recursive: true })
  const half = await mkdtemp(join(HERE, 'half-'))
  try {
    const fetchPackages = await createFetcher(join(half, 'apt'))
    for (const { names } of missing) {
      const unpacked = join(half, names.join('+'))
      for (const path of await fetchPackages(names))
        await run('dpkg', ['-x', path, unpacked], { timeout: UNPACK_MS_MAX })
      await rename(unpacked, folderOf(names)).catch((error: unknown) => {
        if (!existsSync(folderOf(names))) throw error // another run was quicker
      })
    }
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

/**
 * Returns a function that downloads packages, with package lists of its own: those of the machine may be outdated or missing.
 * It returns the files of the packages and of all that they need; a file is downloaded once.
 */
async function createFetcher(folder: string): Promise<(names: string[]) => Promise<string[]>> {
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
  return async (names) => {
    const install = ['install', '--no-install-recommends', ...names]
    const { stdout } = await apt('--simulate', ...install).catch((error: unknown) => {
      throw new Error(explain(error as AptError, update))
    })
    await apt('--download-only', ...install).catch((error: unknown) => {
      throw new Error(explain(error as AptError, update))
    })
    const wanted = new Set([...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name))
    const files = await readdir(archives)
    return files
      .filter((file) => file.endsWith('.deb') && wanted.has(file.split('_', 1)[0]))
      .map((file) => join(archives, file))
  }
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
