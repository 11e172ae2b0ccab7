import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, it, mock } from 'node:test'
import { systemClock } from '../../src/kernel/clock.ts'
import { createOperator } from '../../src/domains/money/wallets/adapters/http-operator.ts'
import { CircuitOpenError } from '../../src/kernel/outbound/circuit-breaker.ts'
import { DEADLINE_MS } from '../support/deadline.ts'

const API_KEY = 'key-of-the-operator'
const CONSECUTIVE_FAILURES_MAX = 5
const OPEN_MS = 5_000
const TIMEOUT_MS = 3_000
const CREATE_REQUEST = { reference: 'wal_1', phone: '+919800000001', callback_url: 'http://banyan.test/events' }

type SeenRequest = {
  method: string | undefined
  url: string | undefined
  authorization: string | undefined
  body: unknown
}
type TestResponse = (request: IncomingMessage, reply: ServerResponse) => void

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  mock.timers.reset()
  for (const close of closers.splice(0)) await close()
})

/** A company that responds as configured and counts its callers. */
async function company(response: TestResponse) {
  const seen: SeenRequest[] = []
  const state = { response }
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const { method, url, headers } = request
        seen.push({
          method,
          url,
          authorization: headers.authorization,
          body: text === '' ? undefined : JSON.parse(text),
        })
        state.response(request, reply)
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => {
    server.closeAllConnections()
    await once(server.close(), 'close')
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/operator`
  return { operator: createOperator({ url, apiKey: API_KEY, secret: 'none', clock: systemClock }), seen, state }
}

const json =
  (status: number, body: unknown): TestResponse =>
  (_request, reply) =>
    void reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const held = { operator_wallet_id: 'x', status: 'ACTIVE', sequence: 1 }
const ok = json(201, held)
const inDigits =
  (sequence: string): TestResponse =>
  (_request, reply) =>
    void reply
      .writeHead(201, { 'content-type': 'application/json' })
      .end(`{"reference":"wal_1","status":"ACTIVE","sequence":${sequence}}`)
const ANOTHER_WALLET = 'Error: the operator responded with a different wallet'
const SCHEMA_MISMATCH = 'Error: the operator’s response does not match its schema'
const broken = json(500, { error: 'down' })
const closeConnection: TestResponse = (request) => void request.socket.destroy()

describe('the operator over HTTP', () => {
  it('is called for a wallet with our key, reference, phone and callback URL', async () => {
    const { operator, seen } = await company(ok)
    const wallet = { status: 'ACTIVE', sequence: 1 }
    assert.deepEqual(await operator.createWallet(CREATE_REQUEST), { outcome: 'held', wallet })
    assert.deepEqual(seen, [
      { method: 'POST', url: '/operator/wallets', authorization: `Bearer ${API_KEY}`, body: CREATE_REQUEST },
    ])
  })

  it('returns 200 for a wallet that it already has', async () => {
    const { operator } = await company(json(200, { ...held, status: 'BLOCKED', sequence: 7 }))
    const wallet = { status: 'BLOCKED', sequence: 7 }
    assert.deepEqual(await operator.createWallet(CREATE_REQUEST), { outcome: 'held', wallet })
  })

  it('rejects with 400, 409 and 422, without passing on its error texts', async () => {
    for (const status of [400, 409, 422]) {
      const { operator } = await company(json(status, { error: 'Asha Example owes us money' }))
      assert.deepEqual(await operator.createWallet(CREATE_REQUEST), {
        outcome: 'refused',
        reason: `The operator responded ${status}.`,
        ...(status === 409 && { mayBeHeld: true }),
      })
    }
  })

  it('is ambiguous with 5xx, any other 4xx (key rejected, rate limited), a redirect, a lost connection, a malformed body', async () => {
    const unclear: TestResponse[] = [
      ...[401, 403, 404, 408, 429, 500, 502, 503, 504].map((status) => json(status, held)),
      (_request, reply) => void reply.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
      closeConnection,
      json(201, { status: 'CLOSED', sequence: 1 }),
      json(201, { status: 'ACTIVE' }),
      json(201, { status: 'ACTIVE', sequence: -1 }),
      (_request, reply) => void reply.writeHead(201).end('<html>hello</html>'),
      (_request, reply) => void reply.writeHead(201).end('x'.repeat(70_000)),
    ]
    for (const response of unclear) {
      const { operator, seen } = await company(response)
      await assert.rejects(operator.createWallet(CREATE_REQUEST), (error) => !(error instanceof CircuitOpenError))
      assert.equal(seen.length, 1)
    }
  })

  it('is ambiguous when it returns another wallet, or a number beyond exact range', async () => {
    const { operator, state } = await company(json(201, { ...held, reference: CREATE_REQUEST.reference }))
    assert.equal((await operator.createWallet(CREATE_REQUEST)).outcome, 'held')

    const unclear: [TestResponse, string][] = [
      [json(201, { ...held, reference: 'wal_2' }), ANOTHER_WALLET],
      [json(201, { ...held, reference: null }), ANOTHER_WALLET],
      [inDigits('9007199254740992'), SCHEMA_MISMATCH],
      [inDigits('9007199254740993'), SCHEMA_MISMATCH],
      [inDigits('1e300'), SCHEMA_MISMATCH],
    ]
    for (const [response, message] of unclear) {
      const one = await company(response) // of its own, because several of these open the circuit
      await assert.rejects(one.operator.createWallet(CREATE_REQUEST), (error) => String(error) === message)
    }
    state.response = json(200, { ...held, reference: 'wal_2' })
    await assert.rejects(operator.findWallet('wal_1'), (error) => String(error) === ANOTHER_WALLET)
    state.response = inDigits('9007199254740991')
    const { wallet } = (await operator.createWallet(CREATE_REQUEST)) as { wallet: { sequence: number } }
    assert.equal(wallet.sequence, Number.MAX_SAFE_INTEGER)
  })

  it('finds a wallet by reference: undefined when it is missing, ambiguous for every other response', async () => {
    const { operator, seen, state } = await company(json(200, held))
    assert.deepEqual(await operator.findWallet('wal/1 ?'), { status: 'ACTIVE', sequence: 1 })
    assert.deepEqual([seen[0]?.method, seen[0]?.url], ['GET', '/operator/wallets/wal%2F1%20%3F'])
    state.response = json(404, { error: 'none' })
    assert.equal(await operator.findWallet('wal_1'), undefined)
    for (const response of [broken, json(403, {}), json(200, {}), closeConnection]) {
      state.response = response
      await assert.rejects(operator.findWallet('wal_1'))
    }
  })

  it('times out after three seconds, even when its response trickles in', async () => {
    const silent = await company(() => {})
    const dropping = await company((_request, reply) => {
      reply.writeHead(201, { 'content-type': 'application/json' }).write('{')
      const drops = setInterval(() => reply.write(' '), 200)
      reply.on('close', () => clearInterval(drops))
    })
    const from = performance.now()
    await Promise.all([silent, dropping].map(({ operator }) => assert.rejects(operator.createWallet(CREATE_REQUEST))))
    const took = performance.now() - from
    assert(took > TIMEOUT_MS - 100 && took < DEADLINE_MS, `it took ${took} ms`)
  })
})

describe('the operator’s circuit breaker', () => {
  const fail = async ({ operator }: Awaited<ReturnType<typeof company>>, times: number) => {
    for (let call = 0; call < times; call++) {
      await assert.rejects(operator.createWallet(CREATE_REQUEST), (error) => !(error instanceof CircuitOpenError))
    }
  }

  it('opens after five failures in a row, lookups included', async () => {
    const dead = await company(broken)
    await fail(dead, CONSECUTIVE_FAILURES_MAX)
    const from = performance.now()
    for (let call = 0; call < 50; call++) {
      await assert.rejects(dead.operator.createWallet(CREATE_REQUEST), CircuitOpenError)
      await assert.rejects(dead.operator.findWallet('wal_1'), CircuitOpenError)
    }
    assert.equal(dead.seen.length, CONSECUTIVE_FAILURES_MAX)
    assert(performance.now() - from < 500, 'an open circuit fails without waiting')
  })

  it('opens when the operator responds with what is no response of it', async () => {
    const page: TestResponse = (_request, reply) => void reply.writeHead(200).end('<p>Sorry</p>')
    for (const response of [
      page,
      json(401, {}),
      json(403, {}),
      json(204, {}),
      json(201, { ...held, reference: 'x' }),
    ]) {
      const ill = await company(response)
      await fail(ill, CONSECUTIVE_FAILURES_MAX)
      assert.equal(ill.operator.isCircuitOpen(), true)
    }
  })

  it('stays closed after four failures and a response; a rejection is a response', async () => {
    const shaky = await company(broken)
    for (const response of [ok, json(422, { error: 'no' }), ok]) {
      shaky.state.response = broken
      await fail(shaky, CONSECUTIVE_FAILURES_MAX - 1)
      shaky.state.response = response
      await shaky.operator.createWallet(CREATE_REQUEST)
    }
    assert.equal(shaky.seen.length, 3 * CONSECUTIVE_FAILURES_MAX)
  })

  it('lets one call probe for recovery, and rejects others until it succeeds', async () => {
    const dead = await company(closeConnection)
    await fail(dead, CONSECUTIVE_FAILURES_MAX)
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    for (let pause = 1; pause <= 3; pause++) {
      mock.timers.tick(OPEN_MS)
      const calls = await Promise.allSettled(
        Array.from({ length: 10 }, () => dead.operator.createWallet(CREATE_REQUEST)),
      )
      const rejected = calls.filter((call) => call.status === 'rejected' && call.reason instanceof CircuitOpenError)
      assert.deepEqual([rejected.length, dead.seen.length], [9, CONSECUTIVE_FAILURES_MAX + pause])
    }
  })

  it('closes after a successful response', async () => {
    const dead = await company(broken)
    await fail(dead, CONSECUTIVE_FAILURES_MAX)
    dead.state.response = ok
    await assert.rejects(dead.operator.createWallet(CREATE_REQUEST), CircuitOpenError)
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    mock.timers.tick(OPEN_MS)
    const calls = await Promise.allSettled(Array.from({ length: 10 }, () => dead.operator.createWallet(CREATE_REQUEST)))
    assert.deepEqual(new Set(calls.map((call) => call.status)), new Set(['fulfilled']))
    assert.equal(dead.seen.length, CONSECUTIVE_FAILURES_MAX + 10)
  })

  it('reports exactly how long it stays open, without a call', async () => {
    mock.timers.enable({ apis: ['Date', 'setTimeout'], now: Date.now() })
    const dead = await company(broken)
    const { operator, state } = dead
    await fail(dead, CONSECUTIVE_FAILURES_MAX - 1)
    assert.equal(operator.isCircuitOpen(), false)
    await fail(dead, 1)
    assert.equal(operator.isHalfOpen(), false)
    for (let pause = 1; pause <= 2; pause++) {
      assert.equal(operator.isCircuitOpen(), true)
      mock.timers.tick(OPEN_MS - 1)
      assert.equal(operator.isCircuitOpen(), true)
      mock.timers.tick(1)
      assert.equal(operator.isCircuitOpen(), false, 'after the pause a call is allowed, although none was made')
      assert.equal(operator.isHalfOpen(), true, 'and the circuit is half open until one is')
      await fail(dead, 1)
    }
    assert.equal(operator.isCircuitOpen(), true)
    mock.timers.tick(OPEN_MS)
    state.response = ok
    await operator.createWallet(CREATE_REQUEST)
    assert.deepEqual([operator.isCircuitOpen(), operator.isHalfOpen()], [false, false])
  })

  it('of one dead company does not affect another', async () => {
    const dead = await company(broken)
    const alive = await company(ok)
    await fail(dead, CONSECUTIVE_FAILURES_MAX)
    assert.equal((await alive.operator.createWallet(CREATE_REQUEST)).outcome, 'held')
  })
})
