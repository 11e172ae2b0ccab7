import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLeadership } from '../../src/kernel/db/leadership.ts'
import { asLeader, startTask } from '../../src/kernel/jobs/periodic.ts'
import { createLog } from '../../src/kernel/log.ts'
import { openTestApp } from '../support/app.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { within } from '../support/deadline.ts'

const t = await openTestApp()

/** Far below what an operating system waits for a connection, far above what is needed here. */
const WITHIN_MS = 20_000
/**
 * Each test has a lock of its own, since the database frees that of a closed connection a moment later. The numbers of the
 * program's own locks are higher.
 */
let lastLock = 4_711
const newLock = () => ++lastLock

function joinLeadership(url = t.appUrl) {
  const leadership = createLeadership({ url, channel: 'test', log: createLog('silent') })
  after(leadership.close)
  return leadership
}

/** A task that only its leader runs, polling fast, and what has happened to it. */
function startCounting(lock: number, leadership = joinLeadership()) {
  const counts = { rounds: 0, resets: 0 }
  const run = async () => void counts.rounds++
  const task = { name: 'test', every_ms: 10, lock, run, reset: () => void counts.resets++ }
  const { stop } = startTask(asLeader(leadership, task), createLog('silent'))
  after(stop)
  const goesOn = () => {
    const before = counts.rounds
    return within(WITHIN_MS, async () => counts.rounds > before + 1)
  }
  return { counts, stop, leadership, goesOn }
}

/** Accepts connections and never responds, as a proxy may while the database behind it fails over. */
async function startSilentServer() {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {}).resume()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as { port: number }
  return { connections: () => sockets.length, url: `postgresql://banyan@127.0.0.1:${port}/banyan` }
}

describe('a task with a leader', () => {
  it('is run by one process; another goes on when that one is cut off, and the first waits until it leads again', async () => {
    const lock = newLock()
    const proxy = await startDatabaseProxy(t.appUrl)
    const first = startCounting(lock, joinLeadership(proxy.url))
    await first.goesOn()
    const second = startCounting(lock)
    await within(WITHIN_MS, async () => second.counts.resets > 1)
    assert.equal(second.counts.rounds, 0)

    proxy.cut()
    await second.goesOn()
    proxy.remedy()
    const { resets } = first.counts
    await within(WITHIN_MS, async () => first.counts.resets > resets + 1)
    const { rounds } = first.counts
    await second.goesOn()
    assert.equal(first.counts.rounds, rounds)

    await second.stop()
    await second.leadership.release(lock)
    await first.goesOn()
    await first.stop()
    await first.leadership.close()
  })

  it('has a lock of its own: a process may lead one task and not another', async () => {
    const [lock, otherLock] = [newLock(), newLock()]
    const [one, other] = [joinLeadership(), joinLeadership()]
    assert.deepEqual(await Promise.all([one.leads(lock), one.leads(lock)]), [true, true])
    assert.deepEqual(await Promise.all([other.leads(lock), other.leads(otherLock)]), [false, true])
    assert.equal(await one.leads(otherLock), false)
    await one.close()
    await within(WITHIN_MS, () => other.leads(lock))
  })

  it('drops its state when a round fails, and tries again', async () => {
    let failures = 2
    let resets = 0
    const run = async () => {
      if (failures-- > 0) throw new Error('not yet')
    }
    const task = { name: 'test', every_ms: 10, lock: newLock(), run, reset: () => void resets++ }
    const leadership = joinLeadership()
    const { stop } = startTask(asLeader(leadership, task), createLog('silent'))
    await within(WITHIN_MS, async () => failures < 0)
    await stop()
    assert.equal(resets, 2)
  })
})

describe('a leader whose database accepts connections and never responds', () => {
  it('gives up connecting and tries again, works only when it leads, and can be stopped', async () => {
    const { url, connections } = await startSilentServer()
    const { counts, stop, leadership } = startCounting(newLock(), joinLeadership(url))
    await within(WITHIN_MS, async () => connections() >= 2)
    assert(counts.resets >= 1)
    const stopped = stop().then(leadership.close)
    assert.equal(await Promise.race([stopped, sleep(WITHIN_MS, 'late', { ref: false })]), undefined)
    assert.equal(counts.rounds, 0)
  })
})
