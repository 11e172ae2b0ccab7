import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, beforeEach, describe, it } from 'node:test'
import { accountProviderId, Banyan, Money, policyId, RedirectError, userId } from '../../../client/src/index.ts'

type Seen = { method: string; url: string; headers: IncomingMessage['headers'] }

/** A server that notes each request before it responds. */
async function serverThat(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers })
    request.resume()
    respond(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** Takes whatever comes, as somebody would who waits for secrets. */
const elsewhere = await serverThat((_, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(
    JSON.stringify({ access_token: 'stolen', refresh_token: 'stolen', expires_in: 3600, data: [], next: null }),
  )
})
let status = 302
let target = elsewhere.url
const service = await serverThat((request, response) => {
  response.writeHead(status, { location: `${target}${request.url}` }).end()
})

beforeEach(() => {
  elsewhere.seen.length = 0
  service.seen.length = 0
  target = elsewhere.url
})

const baseUrl = service.url
const banyan = new Banyan({ accessToken: 'a-token-of-a-platform', adminApiKey: 'an-administrator-key', baseUrl })
const person = banyan.user(userId('012345678901'))
const bank = { account_number: '123456789', ifsc_code: 'HDFC0000001' }
const asha = {
  first_name: 'Asha',
  last_name: 'Example',
  dob: '1990-05-17',
  email: 'asha@example.com',
  gender: 'FEMALE',
} as const

const CALLS: Record<string, () => PromiseLike<unknown>> = {
  'the exchange of a basic_token': () => new Banyan({ basicToken: 'YTpi', baseUrl }).users.list(),
  'a read': () => person.read({ purpose: 'a complaint' }),
  'a list': () => banyan.accountProviders.list(),
  'a write with a key': () => person.wallet.credit(Money.paise(100), { reference: 'june' }),
  'a write with personal data': () => person.completeOnboarding({ ...asha, title: 'MS', bank_details: bank }),
  'a write with the administrator key': () =>
    banyan.accountProviders.update(accountProviderId('acp_1'), { name: 'Bank' }),
  'a download': () => person.policies.downloadDocument(policyId('pol_1'), 'policy_certificate'),
  'an upload': () => person.policies.uploadDocument(policyId('pol_1'), 'policy_certificate', new Uint8Array(9)),
  'a webhook endpoint': () =>
    banyan.webhookEndpoints.create({ url: 'https://partner.example/hook', event_types: ['policy.*'] }),
  'a refresh of a wallet': () => banyan.wallet.resume('a-refresh-token'),
  'a one-time code': () =>
    banyan.wallet.signIn({ platform_id: 'plt_1', phone_country_code: '+91', phone_number: '9812300000' } as never),
  events: () => banyan.events.list(),
}

describe('a response that redirects', () => {
  for (const [name, call] of Object.entries(CALLS))
    for (const code of [301, 302, 303, 307, 308])
      it(`${code} is an error that names the other address, and ${name} reaches only the service`, async () => {
        status = code
        await assert.rejects(
          async () => await call(),
          (error) => {
            assert(error instanceof RedirectError, String(error))
            assert.equal(new URL(error.location ?? '').origin, elsewhere.url)
            assert.match(error.message, new RegExp(`redirects to ${elsewhere.url}\\b`))
            assert(!error.message.includes('012345678901'), 'no id stands in a message')
            return true
          },
        )
        assert.deepEqual(elsewhere.seen, [])
        assert.equal(service.seen.length, 1, 'it is sent once')
      })

  it('is not followed to the same host either', async () => {
    target = service.url
    await assert.rejects(async () => await CALLS['a read']?.(), RedirectError)
    assert.equal(service.seen.length, 1)
  })
})
