import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { PROBLEMS } from '../../../src/kernel/problem-error.ts'
import { type RawResponse, dial, readRaw, sendRaw, statusesIn } from '../../hazards/raw.ts'
import { serveRoutes } from '../../support/inject.ts'

const LIMIT_MS = 500
const ORIGIN = 'http://banyan.test'

type Line = { msg: string; status?: number; code?: string; request_id?: string; route?: string }

const lines: Line[] = []
const app = serveRoutes(
  (routes) => {
    routes.add('POST /form', { schema: { body: { type: 'object', properties: {} } } }, () => ({}))
    routes.page('/refused-by-node', {}, (_request, reply) => reply.header('x-two', 'a\nb') && {})
  },
  { origin: ORIGIN, log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }) },
)
before(async () => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  app.server.headersTimeout = LIMIT_MS
  app.server.requestTimeout = LIMIT_MS
})
after(() => app.close())

const port = () => (app.server.address() as AddressInfo).port
const START = 'POST /form HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n'

/** Returns the problem in the response, after checking it as a problem. */
function problemIn({ text, closed }: RawResponse, status: number) {
  assert(closed, text)
  const problem = JSON.parse(text.slice(text.indexOf('{')))
  assert.equal(problem.status, status)
  assert.equal(PROBLEMS[problem.code as keyof typeof PROBLEMS].status, status)
  assert.equal(problem.type, `${ORIGIN}/docs/errors#${problem.code}`)
  assert.equal(problem.instance, `urn:banyan:request:${problem.request_id}`)
  assert.match(problem.request_id, /^req_[a-z0-9]{20,}$/)
  assert.match(text, new RegExp(`^x-request-id: ${problem.request_id}\r$`, 'im'))
  assert.match(text, /^x-content-type-options: nosniff\r$/im)
  return problem
}

/** Returns the log line of a request once there is one. */
async function linesOf(requestId: string): Promise<Line[]> {
  const deadline = performance.now() + 10_000
  for (;;) {
    const found = lines.filter((line) => line.request_id === requestId)
    if (found.length > 0) return found
    assert(performance.now() < deadline, `the log says nothing of ${requestId}`)
    await setImmediate()
  }
}

describe('incomplete requests', () => {
  it('408 request_timeout for a body that does not end, logged as a 408 of that request', async () => {
    const heard = await sendRaw(port(), `${START}content-length: 10\r\n\r\n{`, { timeout_ms: 20_000 })
    assert.deepEqual(statusesIn(heard), [408])
    const { code, request_id } = problemIn(heard, 408)
    assert.equal(code, 'request_timeout')
    const reported = (await linesOf(request_id)).map(({ status, route }) => ({ status, route }))
    assert.deepEqual(reported, [{ status: 408, route: '/form' }])
  })

  it('408 request_timeout for headers that do not end', async () => {
    const heard = await sendRaw(port(), START, { timeout_ms: 20_000 })
    const { code, request_id } = problemIn(heard, 408)
    assert.equal(code, 'request_timeout')
    assert.deepEqual(
      (await linesOf(request_id)).map(({ status }) => status),
      [408],
    )
  })

  it('431 headers_too_large, also on a reused connection', async () => {
    const long = `GET /x HTTP/1.1\r\nhost: x\r\nx-long: ${'a'.repeat(40_000)}\r\n\r\n`
    const first = problemIn(await sendRaw(port(), long), 431)
    assert.equal(first.code, 'headers_too_large')
    const socket = await dial(port())
    socket.write('GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n')
    const [before] = (await once(socket, 'data')) as [Buffer]
    socket.write(long)
    const second = problemIn(await readRaw(socket, 60_000), 431)
    assert(!before.toString().includes(second.request_id), 'an id of its own')
  })

  it('400 malformed_request for bytes that are not an HTTP request, with the id of its log line', async () => {
    const { code, request_id } = problemIn(await sendRaw(port(), 'HELLO\r\n\r\n'), 400)
    assert.equal(code, 'malformed_request')
    assert.deepEqual(
      (await linesOf(request_id)).map(({ status }) => status),
      [400],
    )
  })

  it('never logs 200 for a response that nobody received', async () => {
    const socket = await dial(port())
    socket.write(`${START}content-length: 10\r\nx-request-id: went_away\r\n\r\n{`)
    await once(app.server, 'request')
    socket.destroy()
    const reported = (await linesOf('went_away')).map(({ msg, status }) => ({ msg, status }))
    assert.deepEqual(reported, [{ msg: 'request aborted', status: 400 }])
  })
})

describe('a response that cannot be sent', () => {
  it('ends its connection and is logged; the next request is served', async () => {
    const { text, closed } = await sendRaw(
      port(),
      'GET /refused-by-node HTTP/1.1\r\nhost: x\r\nx-request-id: not_sent\r\n\r\n',
    )
    assert.deepEqual([text, closed], ['', true])
    assert((await linesOf('not_sent')).some(({ msg }) => msg === 'unexpected error'))
    const served = await sendRaw(port(), `${START}content-length: 2\r\nconnection: close\r\n\r\n{}`)
    assert.deepEqual(statusesIn(served), [200])
  })
})
