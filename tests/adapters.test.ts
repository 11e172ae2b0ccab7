import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { createAccountProviderClient } from '../src/domains/money/accounts/adapters/http-account-provider.ts'
import { createOperator } from '../src/domains/money/wallets/adapters/http-operator.ts'
import { createSandboxSms } from '../src/domains/money/wallet-sessions/adapters/sandbox-sms.ts'
import { createTwilioSms } from '../src/domains/money/wallet-sessions/adapters/twilio-sms.ts'
import { IndefiniteResponse, onCallDone } from '../src/kernel/outbound/measured-call.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { ProblemError } from '../src/kernel/problem-error.ts'
import { pathsBelow } from './support/sources.ts'

const PHONE = '+919812345678'
const NAME = 'Asha'
const SECRET = 'sixteen characters'

/** An adapter by its file, with one call and the response to which the call succeeds. */
type Adapter = { file: string; success: object; open: (url: string) => { call: () => Promise<unknown> } }

const operator = (url: string) => createOperator({ url, apiKey: 'key', secret: SECRET, clock: systemClock })

const ADAPTERS: Record<'account provider' | 'operator' | 'SMS gateway', Adapter[]> = {
  'account provider': [
    {
      file: 'src/domains/money/accounts/adapters/http-account-provider.ts',
      success: { external_account_id: 'EXT-1', ifsc_code: 'BNYN0000001' },
      open(url) {
        const client = createAccountProviderClient({ url, apiKey: 'key' })
        const holder = { first_name: NAME, last_name: 'Rao' }
        const origin = { account_number: '123456', ifsc_code: 'HDFC0000001' }
        return { call: () => client.openAccount({ reference: 'acc_1', account_type: 'SAVINGS', holder, origin }) }
      },
    },
  ],
  operator: [
    {
      file: 'src/domains/money/wallets/adapters/http-operator.ts',
      success: { reference: 'wal_1', status: 'ACTIVE', sequence: 1 },
      open(url) {
        const request = { reference: 'wal_1', phone: PHONE, callback_url: 'http://banyan.test/events' }
        return { call: () => operator(url).createWallet(request) }
      },
    },
  ],
  'SMS gateway': [
    {
      file: 'src/domains/money/wallet-sessions/adapters/sandbox-sms.ts',
      success: {},
      open: (url) => ({ call: () => createSandboxSms({ url }).send({ to: PHONE, text: '123456', key: 'otp_1' }) }),
    },
    {
      file: 'src/domains/money/wallet-sessions/adapters/twilio-sms.ts',
      success: { sid: 'SM1' },
      open(url) {
        const sms = createTwilioSms({ url, accountSid: 'AC1', authToken: 'token', from: '+15550000000' })
        return { call: () => sms.send({ to: PHONE, text: '123456', key: 'otp_1' }) }
      },
    },
  ],
}

type Reply = (response: ServerResponse) => void
let reply: Reply = (response) => void response.end()
let calls = 0
const server = createServer((request, response) => {
  calls++
  request.resume().on('end', () => reply(response))
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
after(async () => {
  server.closeAllConnections()
  await once(server.close(), 'close')
})

const json =
  (status: number, body: object): Reply =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Everything a company may do instead of responding as agreed. */
const unclear = (success: object): Record<string, Reply> => ({
  ...Object.fromEntries([401, 403, 404, 429, 500, 502, 503, 504].map((status) => [status, json(status, success)])),
  'a page': (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
  nothing: (response) => void response.writeHead(204).end(),
  'a redirect': (response) => void response.writeHead(307, { location: `${url}/elsewhere` }).end(),
  'a lost connection': (response) => void response.destroy(),
  'half a response': (response) => {
    response.writeHead(201, { 'content-length': '1000' }).write('{')
    response.socket?.end()
  },
  'too much': (response) => void response.writeHead(201).end(`{"padding":"${'x'.repeat(70_000)}"}`),
})

for (const [kind, adapters] of Object.entries(ADAPTERS)) {
  for (const { file, success, open } of adapters) {
    describe(`${kind}: ${file.split('/').at(-1)}`, () => {
      it('succeeds with the agreed response, in one call', async () => {
        reply = json(201, success)
        const before = calls
        await open(url).call()
        assert.equal(calls, before + 1)
      })

      it('throws whenever the outcome is unknown, calls once and follows no redirect', async () => {
        for (const [what, unclearReply] of Object.entries(unclear(success))) {
          reply = unclearReply
          const before = calls
          await assert.rejects(open(url).call(), what)
          assert.equal(calls, before + 1, what)
        }
      })

      it('throws, and counts the call as invalid, when the company responds with what is no response of it', async () => {
        const outcomes: string[] = []
        const stop = onCallDone(({ outcome }) => void outcomes.push(outcome))
        const invalid = ['401', '403', 'a redirect', 'a page', 'nothing']
        for (const what of invalid) {
          reply = unclear(success)[what] as Reply
          await assert.rejects(open(url).call(), IndefiniteResponse, what)
        }
        stop()
        assert.deepEqual(outcomes, invalid.fill('invalid'))
      })

      it('reveals nothing of the person or of the company’s response when it fails', async () => {
        reply = json(500, { error: `${NAME} at ${PHONE} owes us money` })
        await assert.rejects(open(url).call(), (error: Error) => {
          assert.doesNotMatch(
            `${error.stack} ${JSON.stringify(error)}`,
            new RegExp(`${NAME}|${PHONE.slice(1)}|owes|123456`),
          )
          return true
        })
      })
    })
  }
}

for (const { file, success, open } of ADAPTERS['SMS gateway']) {
  describe(`messages of ${file.split('/').at(-1)}`, () => {
    it('are not sent when the gateway takes the request and refuses the message', async () => {
      for (const more of [{ status: 'failed' }, { status: 'undelivered' }, { error_code: 30_007 }]) {
        reply = json(201, { ...success, ...more })
        await assert.rejects(open(url).call(), IndefiniteResponse)
      }
      reply = json(200, { ...success, status: 'queued', error_code: null })
      await open(url).call()
    })
  })
}

for (const { file, success, open } of ADAPTERS['account provider']) {
  describe(`account numbers of ${file.split('/').at(-1)}`, () => {
    const respond = (number: string) => {
      reply = json(201, { ...success, external_account_id: number })
      return open(url).call()
    }

    it('are taken in any script, when all of it can be seen', async () => {
      for (const number of ['EXT-1', '0012/3456', 'खाता-१२', 'x'.repeat(100)]) await respond(number)
    })

    it('are no response when a part cannot be seen, is a blank, or would be stored as another character', async () => {
      for (const odd of [
        '',
        ' ',
        'EXT 1',
        'EXT-1 ',
        'EXT\n1',
        'EXT\u001b[31m1',
        'EXT\u202e1',
        'EXT\u00a01',
        'EXT\u200b1',
        'EXT\ud800',
        'x'.repeat(101),
      ])
        await assert.rejects(respond(odd), IndefiniteResponse, JSON.stringify(odd))
    })

    it('are still wanted after a 409, as after a response that was lost; a 422 says that there will be none', async () => {
      reply = json(409, { error: 'there is such an account' })
      await assert.rejects(open(url).call(), /responded 409: it may have the account already/)
      reply = json(422, { error: 'the customer cannot have an account' })
      assert.deepEqual(await open(url).call(), { outcome: 'refused', reason: 'The account provider responded 422.' })
    })
  })
}

for (const { file } of ADAPTERS.operator) {
  describe(`events of ${file.split('/').at(-1)}`, () => {
    const event = { event_id: 'e1', reference: 'wal_1', status: 'BLOCKED', sequence: 2 }
    const bytes = Buffer.from(JSON.stringify(event))
    const now = () => Math.floor(Date.now() / 1000)
    const signed = ({ time = now(), secret = SECRET, of = bytes } = {}) => ({
      'operator-signature': `t=${time},v1=${createHmac('sha256', secret).update(`${time}.`).update(of).digest('hex')}`,
    })
    const refuses = (headers: Record<string, string>, body = bytes) =>
      assert.throws(
        () => operator(url).parseEvent(headers, body),
        (error) => error instanceof ProblemError && error.code === 'unauthenticated',
      )

    it('are read from signed bytes', () => {
      assert.deepEqual({ ...operator(url).parseEvent(signed(), bytes) }, event)
    })

    it('are rejected when the bytes, the secret or the time differ, or nothing is signed', () => {
      refuses({})
      refuses(signed({ secret: `${SECRET}!` }))
      refuses(signed({ time: now() - 301 }))
      refuses(signed({ time: now() + 301 }))
      refuses(signed(), Buffer.from(`${bytes.toString()} `))
      refuses(signed({ of: Buffer.from('{}') }))
    })
  })
}

/** It wraps `openid-client`; the administrators' tests run it against a real provider. */
const BY_A_LIBRARY = 'src/domains/administration/administrators/adapters/oidc-identity-provider.ts'

describe('adapters', () => {
  it('of every domain are tested against the contract of their kind', () => {
    const there = pathsBelow('src/domains').filter((path) => /\/adapters\/[^/]+\.ts$/.test(path))
    const held = Object.values(ADAPTERS).flatMap((adapters) => adapters.map(({ file }) => file))
    assert.deepEqual([...held, BY_A_LIBRARY].toSorted(), there.toSorted())
  })
})

describe('a wrong base URL', () => {
  it('is named with its setting when the address that creates is a 404, and measured apart from other 404s', async () => {
    const outcomes: string[] = []
    const stop = onCallDone(({ outcome }) => void outcomes.push(outcome))
    reply = json(404, {})
    const wallet = { reference: 'wal_1', phone: PHONE, callback_url: url }
    await assert.rejects(operator(url).createWallet(wallet), /OPERATOR_URL is not its base URL/)
    assert.equal(await operator(url).findWallet('wal_1'), undefined)
    const bank = createAccountProviderClient({ url, apiKey: 'key' })
    const account = {
      reference: 'acc_1',
      account_type: 'SAVINGS' as const,
      holder: { first_name: 'Asha', last_name: 'Example' },
      origin: { account_number: '001234567890', ifsc_code: 'HDFC0000001' },
    }
    await assert.rejects(bank.openAccount(account), /ACCOUNT_PROVIDER_URL is not its base URL/)
    stop()
    assert.deepEqual(outcomes, ['wrong_address', '4xx', 'wrong_address'])
  })
})
