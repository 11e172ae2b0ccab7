import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { createSandboxSms, createTwilioSms, type Sms } from '../../../src/domains/money/wallet-sessions/index.ts'

const ACCOUNT_SID = 'AC00000000000000000000000000000001'
const AUTH_TOKEN = 'twilio-auth-token-for-tests'
const FROM = '+15005550006'
const MESSAGE = {
  key: 'otp_1',
  to: '+919876543210',
  text: '012345 is your one-time code. It’s yours & 100% secret = हाँ+',
}
/** The longest wait for a gateway; a queue that waits this long can still send in time. */
const FAILS_WITHIN_MS = 8_000

type SeenRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: string }
type Reply = { status: number; headers?: Record<string, string>; body?: string } | 'silence' | 'hang up' | 'endless'

/** A gateway on a real socket that records requests and responds as configured. */
async function startGatewayDouble(reply: Reply) {
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => void (body += String(chunk)))
    request.on('end', () => {
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      respond(reply, response)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  after(() => server.close().closeAllConnections())
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function respond(reply: Reply, response: ServerResponse): void {
  if (reply === 'silence') return
  if (reply === 'hang up') return void response.socket?.destroy()
  if (reply === 'endless') {
    response.writeHead(201)
    const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more))
    return more()
  }
  response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body ?? '{}')
}

const ADAPTERS: Record<string, (url: string) => Sms> = {
  sandbox: (url) => createSandboxSms({ url: `${url}/sms` }),
  twilio: (url) => createTwilioSms({ url, accountSid: ACCOUNT_SID, authToken: AUTH_TOKEN, from: FROM }),
}

/** Asserts that sending fails, with an error that may be logged. */
async function assertThrows(sms: Sms, words: RegExp): Promise<void> {
  await assert.rejects(sms.send(MESSAGE), (error: Error) => {
    const reported = `${error.name} ${error.message} ${String(error.stack)}`
    assert.match(reported, words)
    for (const secret of [AUTH_TOKEN, '012345', '9876543210', ACCOUNT_SID]) assert(!reported.includes(secret), reported)
    return true
  })
}

describe('every SMS gateway', { concurrency: true }, () => {
  for (const [name, open] of Object.entries(ADAPTERS)) {
    describe(`the ${name} gateway`, { concurrency: true }, () => {
      for (const status of [200, 201, 202])
        it(`accepts a message with one request that returns ${status}`, async () => {
          const { seen, url } = await startGatewayDouble({ status, body: '{"sid":"SM1","status":"queued"}' })
          await open(url).send(MESSAGE)
          assert.equal(seen.length, 1)
          assert.equal(seen[0]?.method, 'POST')
          assert.equal(seen[0]?.headers['idempotency-key'], MESSAGE.key)
        })

      for (const status of [400, 401, 404, 422, 429, 500, 503]) {
        it(`fails on ${status}, once, without a retry of its own`, async () => {
          const { seen, url } = await startGatewayDouble({ status, body: JSON.stringify({ message: MESSAGE.to }) })
          await assertThrows(open(url), new RegExp(`the SMS gateway responded ${status}`, 'i'))
          assert.equal(seen.length, 1)
        })
      }

      it('fails on a redirect and does not follow it', async () => {
        const elsewhere = await startGatewayDouble({ status: 201 })
        const { url } = await startGatewayDouble({ status: 307, headers: { location: elsewhere.url } })
        await assertThrows(open(url), /responded 307/)
        assert.deepEqual(elsewhere.seen, [])
      })

      it('fails when no response comes in time', async () => {
        const { seen, url } = await startGatewayDouble('silence')
        const startedAt = performance.now()
        await assertThrows(open(url), /TimeoutError/)
        assert(performance.now() - startedAt < FAILS_WITHIN_MS)
        assert.equal(seen.length, 1)
      })

      it('fails when the connection breaks or is refused, or the response never ends', async () => {
        await assertThrows(open((await startGatewayDouble('hang up')).url), /fetch failed/)
        await assertThrows(open('http://127.0.0.1:1'), /fetch failed/)
        await assertThrows(open((await startGatewayDouble('endless')).url), /too large/)
      })
    })
  }
})

describe('the request to Twilio', () => {
  it('uses its Messages API: path, HTTP Basic and a form with To, From and Body', async () => {
    const { seen, url } = await startGatewayDouble({ status: 201 })
    await ADAPTERS['twilio']?.(url).send(MESSAGE)
    const [{ method, path, headers, body }] = seen as [SeenRequest]
    assert.deepEqual([method, path], ['POST', `/2010-04-01/Accounts/${ACCOUNT_SID}/Messages.json`])
    const basic = Buffer.from(`${ACCOUNT_SID}:${AUTH_TOKEN}`).toString('base64')
    assert.equal(headers.authorization, `Basic ${basic}`)
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8')
    assert.equal(headers.accept, 'application/json')
    assert.match(body, /^To=%2B919876543210&From=%2B15005550006&Body=012345\+is\+your/)
    const input = new URLSearchParams(body)
    assert.deepEqual([...input], Object.entries({ To: MESSAGE.to, From: FROM, Body: MESSAGE.text }))
    assert(!path.includes('9876543210'))
  })

  it('sends the account id as one segment of the path, whatever it contains', async () => {
    const { seen, url } = await startGatewayDouble({ status: 201 })
    await createTwilioSms({ url, accountSid: 'AC/1?x', authToken: AUTH_TOKEN, from: FROM }).send(MESSAGE)
    assert.equal(seen[0]?.path, '/2010-04-01/Accounts/AC%2F1%3Fx/Messages.json')
  })
})

describe('the request to the sandbox gateway', () => {
  it('is JSON with the phone and the text', async () => {
    const { seen, url } = await startGatewayDouble({ status: 201 })
    await ADAPTERS['sandbox']?.(url).send(MESSAGE)
    const [{ path, headers, body }] = seen as [SeenRequest]
    assert.deepEqual([path, headers['content-type']], ['/sms/messages', 'application/json'])
    const { to, text } = MESSAGE
    assert.deepEqual(JSON.parse(body), { to, text })
  })
})
