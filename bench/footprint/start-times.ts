import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { loadConfig } from '../../src/settings/config.ts'
import { startEmbedded } from '../../src/kernel/embedded-postgres/embedded.ts'
import { fill } from '../fill.ts'
import type { ModeContext } from '../part.ts'
import { startProcess } from '../processes.ts'
import { OWN_VERSION, settingsOn } from '../stage.ts'

const STARTS = 5
const POLL_MS = 5
const TIMEOUT_MS = 60_000
const PROGRAM = join(OWN_VERSION.checkout, 'src/main.ts')

/** Returns the seconds from `npm start` on a filled data folder, nothing running, to a ready `/readyz`. */
export async function measureStarts({ closers, say }: ModeContext): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'banyan-start-'))
  closers.push(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755) // the database runs as another user when root starts it
  const {
    DATABASE_URL: _,
    MIGRATION_DATABASE_URL: __,
    ...settings
  } = await settingsOn({ appUrl: '', ownerUrl: '' }, folder)
  const own = { ...settings, NODE_ENV: 'development', PATH: process.env['PATH'] ?? '', HOME: folder }
  await fillFolder(folder, own, { closers, say })
  const took: number[] = []
  for (let start = 0; start < STARTS; start++) {
    took.push(await measureStart(own))
    say(`  npm start: ready after ${took.at(-1)?.toFixed(2)} s`)
  }
  return took
}

type Own = Record<string, string> & { PUBLIC_URL: string }

/** The first start makes the database; it is stopped when the users are in. */
async function fillFolder(folder: string, own: Own, { closers, say }: Pick<ModeContext, 'closers' | 'say'>) {
  const log = join(folder, 'first-start.log')
  const process = { node: OWN_VERSION.node, settings: own, log, url: own.PUBLIC_URL, closers }
  const product = await startProcess([PROGRAM, 'start'], process)
  const embedded = await startEmbedded({ dataDir: folder })
  closers.push(embedded.stop)
  const settings = { ...own, DATABASE_URL: embedded.appUrl, MIGRATION_DATABASE_URL: embedded.ownerUrl }
  const administrator = async (role: string) => {
    const args = [PROGRAM, 'token', '--role', role]
    const { stdout } = await promisify(execFile)(OWN_VERSION.node, args, { env: settings })
    return `Bearer ${stdout.trim()}`
  }
  const tenant = await fill({ config: loadConfig(settings), productUrl: own.PUBLIC_URL, administrator }, say)
  await tenant.settle()
  await product.stop()
  await embedded.stop()
}

async function measureStart(own: Own): Promise<number> {
  const from = performance.now()
  const child = spawn('npm', ['start'], { cwd: OWN_VERSION.checkout, env: own, stdio: 'ignore', detached: true })
  const ended = once(child, 'exit')
  try {
    while (!(await isReady(own.PUBLIC_URL))) {
      if (performance.now() - from > TIMEOUT_MS || child.exitCode !== null) throw new Error('npm start is not ready')
      await sleep(POLL_MS)
    }
    return (performance.now() - from) / 1_000
  } finally {
    child.kill('SIGTERM') // npm passes it on
    await ended
  }
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
