import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import pino from 'pino'
import { sendRaw } from '../hazards/raw.ts'
import { serveRoutes } from '../support/inject.ts'

const lines: { code?: string; status?: number }[] = []
const open = (origin: string) =>
  serveRoutes((routes) => routes.page('/here', {}, () => ({})), {
    origin,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
  })
const [app, plain] = [open('https://banyan.test'), open('http://banyan.test')]
after(() => Promise.all([app.close(), plain.close()]))

const KEPT = 'max-age=31536000; includeSubDomains'

describe('an installation under https', () => {
  it('makes browsers come back by https alone for a year, on errors too; without https nothing is said of it', async () => {
    void app.listen({ host: '127.0.0.1', port: 0 })
    await once(app.server, 'listening')
    const { port } = app.server.address() as AddressInfo
    for (const url of ['/here', '/nowhere'])
      assert.equal((await app.inject({ url })).headers['strict-transport-security'], KEPT)
    assert.match(
      (await sendRaw(port, 'not http\r\n\r\n')).text,
      new RegExp(`^strict-transport-security: ${KEPT}\r$`, 'im'),
    )
    assert.equal((await plain.inject({ url: '/nowhere' })).headers['strict-transport-security'], undefined)
  })
})

describe('the log of a request', () => {
  it('has the code of the error that was sent, and none where there was no error', async () => {
    lines.length = 0
    for (const url of ['/nowhere', '/here']) await app.inject({ url })
    assert.deepEqual(
      lines.map(({ status, code }) => [status, code]),
      [
        [404, 'not_found'],
        [200, undefined],
      ],
    )
  })
})
