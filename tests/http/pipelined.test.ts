import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Reply, Request } from '../../src/kernel/http/exchange.ts'
import { trackUnread } from '../../src/kernel/http/unread-requests.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

it('a pipelined connection keeps no request that has its response', async () => {
  const lines: unknown[] = []
  const log = { warn: (line: object) => void lines.push(line) }
  const { note } = trackUnread({ origin: 'http://localhost:8080', log: log as never })
  const socket = new EventEmitter()
  const requests: WeakRef<object>[] = []
  /** Each request arrives before the response to the one before it has ended. */
  let before: { writableFinished: boolean } | undefined
  for (let number = 1; number <= 100; number++) {
    const raw = { writableFinished: false, headersSent: true }
    const request = { id: `req_${number}`, raw: { socket }, route: { url: '/' } }
    requests.push(new WeakRef(request))
    note(request as unknown as Request, { raw } as unknown as Reply)
    if (before) before.writableFinished = true
    before = raw
  }
  await turn() // a reference is held until the end of the task that made it
  collectGarbage()
  const kept = requests.filter((reference) => reference.deref() !== undefined).length
  assert(kept <= 3, `${kept} requests are kept`)
  socket.emit('close')
  assert.deepEqual(
    lines.map((line) => (line as { request_id: string }).request_id),
    ['req_100'],
    'the one without a response is logged',
  )
})
