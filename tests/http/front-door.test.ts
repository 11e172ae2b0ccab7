import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../support/app.ts'

const t = await openTestApp()

describe('GET /', () => {
  it('302 to the documentation for a browser', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const { statusCode, headers } = await t.app.inject({ url: '/', headers: { accept } })
    assert.deepEqual([statusCode, headers.location, headers.vary], [302, '/docs', 'accept'])
  })

  it('200 for a program, with the places of the documents, all of which exist', async () => {
    const response = await t.app.inject({ url: '/', headers: { accept: 'application/json' } })
    const { name, version, docs, openapi } = response.json<Record<string, string>>()
    assert.deepEqual([response.statusCode, name, version], [200, 'Banyan', '0.0.0'])
    for (const url of [docs, openapi])
      assert.equal((await t.app.inject({ url: String(url), headers: { accept: '*/*' } })).statusCode, 200, url)
  })
})
