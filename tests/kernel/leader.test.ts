import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLeader } from '../../src/kernel/jobs/leader.ts'
import { createLog } from '../../src/kernel/log.ts'
import { within } from '../support/deadline.ts'

/** Far below what an operating system waits for a connection, far above what is needed here. */
const WITHIN_MS = 20_000

/** Accepts connections and never responds, as a proxy may while the database behind it fails over. */
async function openSilentServer() {
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

describe('a leader whose database accepts connections and never responds', () => {
  it('gives up connecting and tries again, works only when it leads, and can be stopped', async () => {
    const { url, connections } = await openSilentServer()
    let rounds = 0
    let resets = 0
    const leader = startLeader({
      name: 'the test',
      url,
      channel: 'test',
      lock: 1,
      log: createLog('silent'),
      poll_ms: 10,
      work: async () => rounds++ < 0,
      reset: () => void resets++,
    })
    after(leader.stop)
    await within(WITHIN_MS, async () => connections() >= 2)
    assert(resets >= 1)
    const outcome = await Promise.race([leader.stop(), sleep(WITHIN_MS, 'late', { ref: false })])
    assert.equal(outcome, undefined)
    assert.equal(rounds, 0)
  })
})
