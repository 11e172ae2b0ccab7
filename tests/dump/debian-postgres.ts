import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { serverAccount } from '../../src/kernel/embedded-postgres/embedded-home.ts'
import { librariesIn, unpackPackages } from '../support/debian-packages.ts'
import { within } from '../support/deadline.ts'
import { freePorts } from '../support/server.ts'

const run = promisify(execFile)

const START_MS_MAX = 60_000

/** PostgreSQL with its client programs: of this machine, or unpacked from Debian's packages. */
export type Installed = { binaries: string; environment: Record<string, string> }

export async function findPostgres(): Promise<Installed> {
  const installed = binariesBelow('/')
  if (installed !== undefined) return { binaries: installed, environment: {} }
  const root = await unpackPackages(['postgresql'])
  const binaries = binariesBelow(root)
  if (binaries === undefined) throw new Error(`there is no PostgreSQL in ${root}`)
  return { binaries, environment: { LD_LIBRARY_PATH: librariesIn(root) } }
}

/** Debian keeps each version in a folder of its own. */
function binariesBelow(root: string): string | undefined {
  const folder = join(root, 'usr/lib/postgresql')
  const versions = existsSync(folder) ? readdirSync(folder) : []
  const candidates = versions.map((version) => join(folder, version, 'bin'))
  return candidates.find((bin) => ['postgres', 'pg_dump', 'pg_restore'].every((name) => existsSync(join(bin, name))))
}

/**
 * Starts a server on this machine only; its superuser is `postgres`, and roles need no password. It is new and empty, unless the folder has
 * its data.
 */
export async function startPostgres(
  { binaries, environment }: Installed,
  folder: string,
  { settings = [], port: wanted }: { settings?: string[]; port?: number } = {},
) {
  const account = serverAccount()
  const { uid, gid } = account
  await mkdir(folder, { recursive: true })
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
  const as = { ...account, cwd: folder, env: { PATH: process.env['PATH'] ?? '', ...environment } }
  const data = join(folder, 'data')
  const newCluster = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale']
  if (!existsSync(data)) await run(join(binaries, 'initdb'), newCluster, as)
  const [port = 0] = wanted === undefined ? await freePorts(1) : [wanted]
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    '-h',
    '127.0.0.1',
    '-k',
    folder,
    ...settings.flatMap((one) => ['-c', one]),
  ]
  const server: ChildProcess = spawn(join(binaries, 'postgres'), args, { ...as, stdio: 'ignore' })
  const ended = once(server, 'exit')
  const urlOf = (role: string, database: string) => `postgres://${role}@127.0.0.1:${port}/${database}`
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: urlOf('postgres', 'postgres') })
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
  await within(START_MS_MAX, () =>
    query('select 1').then(
      () => true,
      () => false,
    ),
  )
  return {
    port,
    urlOf,
    query,
    stop: async () => {
      server.kill('SIGINT')
      await ended
    },
    /** Ends it at once, as a machine that loses its power. */
    crash: async () => {
      server.kill('SIGQUIT')
      await ended
    },
  }
}
