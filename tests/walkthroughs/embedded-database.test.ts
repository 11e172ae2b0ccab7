import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import {
  clientOf,
  eventually,
  freePorts,
  newPlace,
  type Place,
  runCommand,
  type Server,
  startServer,
} from '../support/server.ts'

const QUIET = { LOG_LEVEL: 'silent' }

/** However the test ends, the program does not outlive it. */
async function start(...args: Parameters<typeof startServer>): Promise<Server> {
  const server = await startServer(...args)
  after(() => server.kill())
  return server
}

async function emptyPlace(): Promise<Place> {
  const place = await newPlace()
  after(() => place.remove())
  return place
}

const used = await emptyPlace()
await (await start(used, QUIET)).stop()

/** A folder in which the program has run once, so that only the tests about it create a new database. */
async function usedFolder(): Promise<Place> {
  const place = await emptyPlace()
  await promisify(execFile)('cp', ['-a', used.dataDir, place.dataDir])
  return place
}

/** The same data folder, other ports. */
async function beside(place: Place): Promise<Place> {
  const [port, sandboxPort, metricsPort] = (await freePorts(3)).map(String) as [string, string, string]
  const ports = { PORT: port, SANDBOX_PORT: sandboxPort, METRICS_PORT: metricsPort }
  return { ...place, origin: `http://localhost:${port}`, environment: { ...place.environment, ...ports } }
}

const pidFileOf = ({ dataDir }: Place) => join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
const postmasterOf = (place: Place) => Number(readFileSync(pidFileOf(place), 'utf8').split('\n', 1)[0])
const isReady = async ({ origin }: Place) => (await clientOf(origin)('GET', '/readyz')).status === 200

/** A new token, and its platform's records: a write and reads through the whole program. */
async function platformIn(place: Place, name: string): Promise<string> {
  const { stdout } = await runCommand(['token', '--role', 'owner'], place.environment)
  const made = await clientOf(place.origin)('POST', '/v1/platforms', { token: stdout.trim(), body: { name } })
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

async function assertEndsInOrder(server: Server, place: Place): Promise<void> {
  assert.equal((await server.stop()).code, 0)
  assert(!existsSync(pidFileOf(place)), 'the database ends with the program')
}

describe('two programs on one data folder', () => {
  it('exit 1 for the second, in a sentence that names the first, which keeps running', async () => {
    const place = await usedFolder()
    const first = await start(place)
    const postmaster = postmasterOf(place)
    for (const elsewhere of [await beside(place), place]) {
      const { code, stdout, stderr } = await runCommand(['start'], { ...elsewhere.environment, ...QUIET })
      assert.deepEqual([code, stdout], [1, ''])
      assert.equal(
        stderr,
        `Process ${first.pid} already runs on ${place.dataDir}. Stop it first, or set a different DATA_DIR.\n`,
      )
    }
    assert.equal(postmasterOf(place), postmaster)
    await platformIn(place, 'Still there')
    await assertEndsInOrder(first, place)
  })

  it('commands use a running program’s database and leave it running', async () => {
    const place = await usedFolder()
    const server = await start(place)
    const { code, stderr } = await runCommand(['ledger', 'verify'], { ...place.environment, ...QUIET })
    assert.deepEqual([code, stderr], [0, ''])
    assert(await isReady(place))
    await assertEndsInOrder(server, place)
  })

  it('the last to end stops the database, whichever started it', async () => {
    const place = await usedFolder()
    const first = await start(place)
    const other = await beside(place)
    const second = await start(other, {}, 'serve')
    assert.equal((await first.stop()).code, 0)
    await platformIn(other, 'Outlives the first')
    await assertEndsInOrder(second, place)
  })

  it('of two concurrent starts on an empty folder one runs, and the other names it', async () => {
    for (let round = 0; round < 2; round++) {
      const place = await emptyPlace()
      const places = [place, await beside(place)]
      const starts = await Promise.allSettled(places.map((each) => start(each, QUIET)))
      const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
      const refused = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))
      try {
        assert.equal(running.length, 1, refused.join('\n'))
        const sentence = `Process ${running[0]?.pid} already runs on ${place.dataDir}. Stop it first, or set a different DATA_DIR.`
        assert.deepEqual(refused, [`Error: the program did not start: ${sentence}\n`])
      } finally {
        for (const server of running) assert.equal((await server.stop()).code, 0)
      }
      assert(!existsSync(pidFileOf(place)))
    }
  })
})

describe('the embedded database is killed', () => {
  it('alone: it is restarted, and requests are served as before', async () => {
    const place = await usedFolder()
    const server = await start(place, QUIET)
    const before = await platformIn(place, 'From before')
    for (let round = 0; round < 2; round++) {
      const killed = postmasterOf(place)
      process.kill(killed, 'SIGKILL')
      await eventually(
        async () => existsSync(pidFileOf(place)) && postmasterOf(place) !== killed && (await isReady(place)),
        Boolean,
      )
      await platformIn(place, `After kill ${round}`)
    }
    const { stdout: token } = await runCommand(['token', '--role', 'owner'], place.environment)
    const { body } = await clientOf(place.origin)('GET', '/v1/platforms', { token: token.trim() })
    assert.equal(body.total, 3)
    assert.equal(body.data.at(-1).id, before)
    await assertEndsInOrder(server, place)
  })

  it('repeatedly: the program gives up with exit 1 and names the log file', async () => {
    const place = await usedFolder()
    const server = await start(place)
    let hasEnded = false
    void server.exitCode.then(() => (hasEnded = true))
    let killed = 0
    await eventually(async () => {
      const postmaster = existsSync(pidFileOf(place)) ? postmasterOf(place) : killed
      if (postmaster !== killed && !hasEnded) process.kill((killed = postmaster), 'SIGKILL')
      return hasEnded
    }, Boolean)
    assert.equal(await server.exitCode, 1)
    assert.match(server.output().stderr, /The embedded database is not running. See its log: .*server\.log\./)
  })

  it('together with the program: the next start works immediately', async () => {
    const place = await usedFolder()
    let made = 0
    for (const order of ['program first', 'database first']) {
      const server = await start(place, QUIET)
      await platformIn(place, `Number ${++made}`)
      const postmaster = postmasterOf(place)
      if (order === 'database first') process.kill(postmaster, 'SIGKILL')
      await server.kill()
      if (order === 'program first') process.kill(postmaster, 'SIGKILL')
    }
    const server = await start(place, QUIET)
    await assertEndsInOrder(server, place)
  })

  it('the program alone: the next start adopts the database', async () => {
    const place = await usedFolder()
    const killed = await start(place, QUIET)
    const postmaster = postmasterOf(place)
    await killed.kill()
    const server = await start(place, QUIET)
    assert.equal(postmasterOf(place), postmaster)
    await assertEndsInOrder(server, place)
  })
})

describe('a data folder with an unusual name', () => {
  it('works from start to stop', async () => {
    const place = await emptyPlace()
    const dataDir = join(place.dataDir, `it's "5 $HOME", a\\b; 100%41 & भारत`)
    const server = await start(place, { ...QUIET, DATA_DIR: dataDir })
    await assertEndsInOrder(server, { ...place, dataDir })
  })
})
