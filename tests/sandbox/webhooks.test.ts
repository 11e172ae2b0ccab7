import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startSandbox } from '../../sandbox/server.ts'
import { freePorts } from '../support/server.ts'

const [port = 0] = await freePorts(1)
after(await startSandbox({ host: '127.0.0.1', port, operatorSecret: 'not of interest here' }))

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const BODY = JSON.stringify({ type: 'user.created', data: { note: '<script>' } })
const url = `http://127.0.0.1:${port}/webhooks/mine`

function post(body = BODY, secret = SECRET) {
  const at = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, BODY),
  }
  return fetch(url, { method: 'POST', headers, body })
}
const behave = (behaviour: object) =>
  fetch(`${url}/behaviour`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(behaviour),
  })
const shown = async () =>
  ((await (await fetch(url)).json()) as { deliveries: { signature: string; response_status: number; type: string }[] })
    .deliveries

describe('the sandbox’s webhook receiver', () => {
  it('lists deliveries, and whether their signatures were valid', async () => {
    assert.equal((await post()).status, 200)
    await behave({ secret: SECRET })
    await post()
    await post(`${BODY} `)
    await post(BODY, `whsec_${Buffer.alloc(32, 8).toString('base64')}`)
    assert.deepEqual(
      (await shown()).map(({ signature, type }) => `${type} ${signature}`),
      ['not checked', 'valid', 'invalid', 'invalid'].map((word) => `user.created ${word}`),
    )
    const page = await (await fetch(url, { headers: { accept: 'text/html' } })).text()
    assert.match(page, /4 received/)
    assert.match(page, /valid/)
    assert(!page.includes('<script>'))
  })

  it('fails, is slow or disconnects when set to, each receiver independently', async () => {
    for (const [mode, status] of [
      ['fail', 500],
      ['gone', 410],
      ['ok', 200],
    ] as const) {
      await behave({ mode })
      assert.equal((await post()).status, status)
      assert.equal((await shown()).at(-1)?.response_status, status)
      assert.equal((await fetch(`${url}2`, { method: 'POST', body: BODY })).status, 200)
    }
    await behave({ mode: 'slow', slow_ms: 60_000 })
    await assert.rejects(fetch(url, { method: 'POST', body: BODY, signal: AbortSignal.timeout(50) }))
    assert.equal((await behave({ mode: 'nothing' })).status, 400)
    await fetch(url, { method: 'DELETE' })
    assert.deepEqual(await shown(), [])
  })
})
