import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { beginSession, FROM_OUR_PAGE, SESSION_COOKIE } from '../../support/administrators.ts'
import { openTestApp } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { dial, readRaw, statusesIn } from '../../hazards/raw.ts'
import { issueToFamily } from '../../support/issued-policies.ts'
import { smallPdf } from '../../support/small-pdf.ts'
import { uploadScenes } from '../../support/uploads.ts'

/** From the beginning of the body. */
const RESPONSE_MS = 15_000

const t = await openTestApp({ own: true })
const { forgottenFiles, rowsOf } = uploadScenes(t)
await t.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = t.app.server.address() as AddressInfo

type Request = { method: string; path: string; headers: Record<string, string>; body: Buffer }

/** Sends a request up to the middle of its body, which the server is waiting for then; `finish` sends the rest. */
async function begin({ method, path, headers, body }: Request) {
  const lines = Object.entries({ host: 'x', ...headers, 'content-length': body.length, connection: 'close' })
  const socket = await dial(port)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'expect: 100-continue',
    ...lines.map(([name, value]) => `${name}: ${value}`),
  ]
  const begun = once(socket, 'data')
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  assert.match(String(await begun), /^HTTP\/1\.1 100 /)
  const response = readRaw(socket, RESPONSE_MS) // it may come before the body is complete
  const middle = Math.floor(body.length / 2)
  socket.write(body.subarray(0, middle))
  return {
    finish() {
      socket.write(body.subarray(middle))
      return response
    },
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const json = (value: object) => Buffer.from(JSON.stringify(value))

async function isRevoked(token: string, path = '/v1/benefit_providers'): Promise<void> {
  await within(DEADLINE_MS, async () => (await t.call('GET', path, { token })).status === 401)
}

describe('a token that is revoked while the body of a request is still being sent', () => {
  it('401 and nothing is written, for the platform and for a user who signed in through its credential', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const headers = { 'content-type': 'application/json' }
    const dependants = [{ first_name: 'Ravi', last_name: 'Example', date_of_birth: '2015-08-02' }]
    const requests = await Promise.all([
      begin({
        method: 'POST',
        path: '/v1/auth/token',
        headers: { ...headers, ...bearer(platform.token) },
        body: json({ phone_country_code: '+91', phone_number: '9800000017' }),
      }),
      begin({
        method: 'POST',
        path: `/v1/users/${user.id}/dependants/bulk`,
        headers: { ...headers, ...bearer(user.token) },
        body: json({ dependants }),
      }),
    ])
    await t.made('DELETE', `/v1/platforms/${platform.id}/credentials/${platform.credentialId}`, { token: t.owner })
    await isRevoked(platform.token)
    for (const request of requests) {
      const response = await request.finish()
      assert.deepEqual(statusesIn(response), [401], response.text)
      assert.match(response.text, /www-authenticate: Bearer error="invalid_token"/i)
    }
    assert.deepEqual(await t.sql('select user_id from users where platform_id = $1', [platform.id]), [
      { user_id: user.id },
    ])
    assert.deepEqual(await t.sql('select 1 from dependants where user_id = $1', [user.id]), [])
  })

  it('401 for an administrator who was logged out by an owner', async () => {
    const session = await beginSession(t, 'operator')
    const name = 'Created after the session has ended'
    const cookie = `${SESSION_COOKIE}=${session.cookie}`
    const request = { method: 'POST', path: '/v1/platforms', body: json({ name }) }
    const begun = await begin({ ...request, headers: { ...FROM_OUR_PAGE, cookie } })
    const path = `/v1/administrators/${session.administratorId}/sessions/${session.id}`
    assert.deepEqual(await t.made('DELETE', path, { token: t.owner }), { ended: true })
    await isRevoked(session.token)
    assert.deepEqual(statusesIn(await begun.finish()), [401])
    assert.deepEqual(await t.sql('select 1 from platforms where name = $1', [name]), [])
  })

  it('401 for the upload of a document, which leaves no file behind', async () => {
    const at = await issueToFamily(t)
    const { provider } = at
    const begun = await begin({
      method: 'PUT',
      path: `${at.documents}/policy_certificate`,
      headers: { ...bearer(provider.token), 'content-type': 'application/pdf' },
      body: smallPdf('Sent by somebody who may not any more'),
    })
    const credential = `/v1/benefit_providers/${provider.id}/credentials/${provider.credentialId}`
    await t.made('DELETE', credential, { token: t.owner })
    await isRevoked(provider.token)
    assert.deepEqual(statusesIn(await begun.finish()), [401])
    assert.deepEqual([await rowsOf(at), await forgottenFiles()], [[], []])
  })

  it('200 for a request that takes as long, of a platform whose other credential was revoked', async () => {
    const platform = await t.platform()
    const { credential_id } = await t.made('POST', `/v1/platforms/${platform.id}/credentials`, { token: t.owner })
    const begun = await begin({
      method: 'POST',
      path: '/v1/auth/token',
      headers: { ...bearer(platform.token), 'content-type': 'application/json' },
      body: json({ phone_country_code: '+91', phone_number: '9800000018' }),
    })
    await t.made('DELETE', `/v1/platforms/${platform.id}/credentials/${credential_id}`, { token: t.owner })
    const later = await t.platform()
    await t.made('DELETE', `/v1/platforms/${later.id}/credentials/${later.credentialId}`, { token: t.owner })
    await isRevoked(later.token) // and so the one before it has been read too
    assert.deepEqual(statusesIn(await begun.finish()), [200])
  })
})
