import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { prepareHome, serverAccount } from '../../../src/kernel/embedded-postgres/embedded-home.ts'
import { createServer } from '../../../src/kernel/embedded-postgres/embedded-server.ts'
import {
  clientOf,
  eventually,
  freePorts,
  newWorkspace,
  type Workspace,
  runCommand,
  type Server,
  startServer,
} from '../../support/server.ts'

const QUIET = { LOG_LEVEL: 'silent' }

/** However the test ends, the program does not outlive it. */
async function start(...args: Parameters<typeof startServer>): Promise<Server> {
  const server = await startServer(...args)
  after(() => server.kill())
  return server
}

async function emptyWorkspace(): Promise<Workspace> {
  const workspace = await newWorkspace()
  after(() => workspace.remove())
  return workspace
}

const withOrdinaryName = await emptyWorkspace()
const used = { ...withOrdinaryName, dataDir: join(withOrdinaryName.dataDir, `it's "5 $HOME", a\\b; 100%41 & भारत`) }
const { code: codeOfUsed } = await (await start(used, { ...QUIET, DATA_DIR: used.dataDir })).stop()

describe('a data folder with an unusual name', () => {
  it('works from start to stop', () => {
    assert.equal(codeOfUsed, 0)
    assert(existsSync(join(used.dataDir, 'postgres', 'cluster', 'PG_VERSION')))
    assert(!existsSync(pidFileOf(used)), 'the database ends with the program')
  })
})

/** A copy of the folder in which the program has run once, so that only the tests about it create a new database. */
async function usedFolder(): Promise<Workspace> {
  const workspace = await emptyWorkspace()
  await promisify(execFile)('cp', ['-a', used.dataDir, workspace.dataDir])
  return workspace
}

/** The same data folder, other ports. */
async function alongside(workspace: Workspace): Promise<Workspace> {
  const [port, sandboxPort, metricsPort] = (await freePorts(3)).map(String) as [string, string, string]
  const ports = { PORT: port, SANDBOX_PORT: sandboxPort, METRICS_PORT: metricsPort }
  return { ...workspace, origin: `http://localhost:${port}`, environment: { ...workspace.environment, ...ports } }
}

const pidFileOf = ({ dataDir }: Workspace) => join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
const postmasterOf = (workspace: Workspace) => Number(readFileSync(pidFileOf(workspace), 'utf8').split('\n', 1)[0])
const socketOf = (workspace: Workspace) =>
  join(readFileSync(pidFileOf(workspace), 'utf8').split('\n')[4] ?? '', '.s.PGSQL.5432')
const isReady = async ({ origin }: Workspace) => (await clientOf(origin)('GET', '/readyz')).status === 200

const tokens = new Map<string, string>()

/** A token for the program at this address, issued at the first call. */
async function ownerOf({ origin, environment }: Workspace): Promise<string> {
  const token = tokens.get(origin) ?? (await runCommand(['token', '--role', 'owner'], environment)).stdout.trim()
  tokens.set(origin, token)
  return token
}

/** A new platform: a write and reads through the whole program. */
async function platformIn(workspace: Workspace, name: string): Promise<string> {
  const token = await ownerOf(workspace)
  const make = () => clientOf(workspace.origin)('POST', '/v1/platforms', { token, body: { name } })
  const made = await eventually(make, ({ status }) => status !== 503) // connections of a killed database are replaced
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

async function assertEndsInOrder(server: Server, workspace: Workspace): Promise<void> {
  assert.equal((await server.stop()).code, 0)
  assert(!existsSync(pidFileOf(workspace)), 'the database ends with the program')
}

const shared = await usedFolder()
const first = await start(shared)

describe('two programs on one data folder', () => {
  it('exit 1 for the second, in a sentence that names the first, which keeps running', async () => {
    const postmaster = postmasterOf(shared)
    const folders = [await alongside(shared), shared] // concurrently, because each waits for two seconds
    const ends = await Promise.all(folders.map((one) => runCommand(['start'], { ...one.environment, ...QUIET })))
    for (const { code, stdout, stderr } of ends) {
      assert.deepEqual([code, stdout], [1, ''])
      assert.equal(
        stderr,
        `Process ${first.pid} already runs on ${shared.dataDir}. Stop it first, or set a different DATA_DIR.\n`,
      )
    }
    assert.equal(postmasterOf(shared), postmaster)
    await platformIn(shared, 'Still there')
  })

  it('commands use a running program’s database and leave it running', async () => {
    const { code, stderr } = await runCommand(['ledger', 'verify'], { ...shared.environment, ...QUIET })
    assert.deepEqual([code, stderr], [0, ''])
    assert(await isReady(shared))
  })

  it('the last to end stops the database, whichever started it', async () => {
    const other = await alongside(shared)
    const second = await start(other, {}, 'serve')
    assert.equal((await first.stop()).code, 0)
    await platformIn(other, 'Outlives the first')
    await assertEndsInOrder(second, shared)
  })

  it('of two concurrent starts on an empty folder one runs, and the other names it', async () => {
    for (let round = 0; round < 2; round++) {
      const workspace = await emptyWorkspace()
      const workspaces = [workspace, await alongside(workspace)]
      const starts = await Promise.allSettled(workspaces.map((each) => start(each, QUIET)))
      const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
      const refused = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))
      try {
        assert.equal(running.length, 1, refused.join('\n'))
        const sentence = `Process ${running[0]?.pid} already runs on ${workspace.dataDir}. Stop it first, or set a different DATA_DIR.`
        assert.deepEqual(refused, [`Error: the program did not start: ${sentence}\n`])
      } finally {
        for (const server of running) assert.equal((await server.stop()).code, 0)
      }
      assert(!existsSync(pidFileOf(workspace)))
    }
  })
})

describe('a program that stops the database', () => {
  it('ends in order although another one starts it again immediately, in the same socket folder', async () => {
    const workspace = await usedFolder()
    const home = await prepareHome({ dataDir: workspace.dataDir, owner: 'banyan_owner' })
    const cluster = join(home.as.cwd, 'too-long-for-a-socket'.repeat(5))
    renameSync(home.cluster, cluster)
    const [one, other] = [createServer({ ...home, cluster }, {}), createServer({ ...home, cluster }, {})]
    after(() => other.stop())
    await one.start()
    const url = one.url('banyan_owner', 'postgres') // the one that a pool keeps
    const startedAt = async (server: typeof one): Promise<string | undefined> => {
      if (!server.isRunning()) await server.start() // again, when the folder vanished on the way
      const session = new pg.Client(url)
      session.on('error', () => {})
      try {
        await session.connect()
        return (await session.query('select pg_postmaster_start_time()::text as it')).rows[0].it
      } catch {
        return undefined // not ready yet
      } finally {
        void session.end().catch(() => {})
      }
    }
    const first = await eventually(() => startedAt(one), Boolean)
    other.url('banyan_owner', 'postgres')
    const stopped = one.stop()
    while (one.isRunning()) await sleep(1)
    const second = await eventually(() => startedAt(other), Boolean)
    await stopped
    assert.notEqual(second, first)
  })
})

const killedFolder = await usedFolder()

describe('the embedded database is killed', () => {
  const workspace = killedFolder
  let server: Server | undefined
  after(() => server?.kill()) // it lives longer than a test

  it('together with the program: the next start works immediately', async () => {
    server = await startServer(workspace, QUIET)
    for (const order of ['program first', 'database first']) {
      await platformIn(workspace, `Before the ${order}`)
      const postmaster = postmasterOf(workspace)
      if (order === 'database first') process.kill(postmaster, 'SIGKILL')
      await server.kill()
      if (order === 'program first') process.kill(postmaster, 'SIGKILL')
      server = await startServer(workspace, QUIET)
    }
  })

  it('together with the machine, after whose restart another process has its id: the next start works', async () => {
    await server?.kill()
    process.kill(postmasterOf(workspace), 'SIGKILL')
    const other = spawn('sleep', ['600'], serverAccount())
    try {
      for (const file of [pidFileOf(workspace), `${socketOf(workspace)}.lock`]) {
        const [, ...lines] = readFileSync(file, 'utf8').split('\n')
        writeFileSync(file, [other.pid, ...lines].join('\n'))
      }
      server = await startServer(workspace, QUIET)
      assert.equal(other.exitCode ?? other.signalCode, null)
    } finally {
      other.kill()
    }
  })

  it('not at all, only the program is: the next start adopts the database', async () => {
    const postmaster = postmasterOf(workspace)
    await server?.kill()
    server = await startServer(workspace, QUIET)
    assert.equal(postmasterOf(workspace), postmaster)
  })

  it('while a program is about to use it: it is restarted, and the program goes on', async () => {
    const blocker = new pg.Client({ host: dirname(socketOf(workspace)), user: 'banyan_owner', database: 'postgres' })
    blocker.on('error', () => {})
    await blocker.connect()
    await blocker.query('select pg_advisory_lock(3)') // that of preparing the database
    const command = runCommand(['ledger', 'verify'], { ...workspace.environment, ...QUIET })
    await eventually(
      async () => (await blocker.query('select 1 from pg_locks where objid = 3 and not granted')).rowCount,
      Boolean,
    )
    process.kill(postmasterOf(workspace), 'SIGKILL')
    const { code, stderr } = await command
    assert.deepEqual([code, stderr], [0, ''])
  })

  it('alone: it is restarted, requests are served as before, and it ends with the program', async () => {
    const before = await platformIn(workspace, 'From before')
    for (let round = 0; round < 2; round++) {
      const killed = postmasterOf(workspace)
      process.kill(killed, 'SIGKILL')
      await eventually(
        async () =>
          existsSync(pidFileOf(workspace)) && postmasterOf(workspace) !== killed && (await isReady(workspace)),
        Boolean,
      )
      await platformIn(workspace, `After kill ${round}`)
    }
    const { body } = await clientOf(workspace.origin)('GET', '/v1/platforms', { token: await ownerOf(workspace) })
    assert.equal(body.total, 6, 'and the demo platform')
    assert.equal(body.data[2].id, before, 'newest first')
    assert(server)
    await assertEndsInOrder(server, workspace)
  })

  it('repeatedly: the program gives up with exit 1 and names the log file', async () => {
    const workspace = await usedFolder()
    const server = await start(workspace)
    let hasEnded = false
    void server.exitCode.then(() => (hasEnded = true))
    let killed = 0
    await eventually(async () => {
      const postmaster = existsSync(pidFileOf(workspace)) ? postmasterOf(workspace) : killed
      if (postmaster !== killed && !hasEnded) process.kill((killed = postmaster), 'SIGKILL')
      return hasEnded
    }, Boolean)
    assert.equal(await server.exitCode, 1)
    assert.match(server.output().stderr, /The embedded database is not running. See its log: .*server\.log\./)
  })
})
