import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { sendRaw } from '../../hazards/raw.ts'

const t = await openTestApp({ own: true })
await t.app.listen({ host: '127.0.0.1', port: 0 })
const { port } = t.app.server.address() as AddressInfo

/** Requests a URL exactly as written: clients resolve dots, and send no fragment. */
async function codeOf(url: string): Promise<string> {
  const { text } = await sendRaw(port, `GET ${url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  return `${/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]} ${JSON.parse(text.slice(text.indexOf('{'))).code}`
}

describe('a URL that no browser would send', () => {
  for (const end of ['..', '.', '../x', '%2e%2e/x', '/etc', '%5c..%5c', '..%2f..%2fpackage.json']) {
    it(`404 where it leaves the folder of the pages: ${end}`, async () => {
      for (const folder of ['docs/try/static', 'docs/assets', 'docs'])
        assert.equal(await codeOf(`/${folder}/${end}`), '404 not_found', folder)
    })
  }

  it('400 for one with a fragment, on every path', async () => {
    for (const url of ['/v1/sponsors#x', '/livez#x', '/nowhere#']) {
      assert.equal(await codeOf(url), '400 malformed_request')
    }
  })
})
