import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp()

describe('GET /v1/sponsors/{sponsor_id}/deposits of a sponsor without a benefit', () => {
  it('200 and none for its platform and administrators; 404 for others, who learn nothing of it', async () => {
    const [platform, stranger, provider] = [await t.platform(), await t.platform(), await t.provider()]
    const url = `/v1/sponsors/${await t.sponsor(platform)}/deposits`
    for (const token of [platform.token, t.owner]) {
      const { data, total } = await t.made('GET', url, { token })
      assert.deepEqual([data, total], [[], 0])
    }
    for (const token of [stranger.token, provider.token])
      assert.equal((await t.call('GET', url, { token })).status, 404)
    assert.equal((await t.call('GET', '/v1/sponsors/spn_of_nobody/deposits', { token: t.owner })).status, 404)
  })
})
