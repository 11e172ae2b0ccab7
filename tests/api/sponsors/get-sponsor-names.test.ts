import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, openTestApp } from '../../support/app.ts'

const t = await openTestApp()

const list = (token: string, query = '') => t.call('GET', `/v1/sponsor_names${query}`, { token })

describe('GET /v1/sponsor_names', () => {
  it('200 the names and nothing that is sealed alongside them, of the platform’s own sponsors', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const [ours, theirs] = [await t.sponsor(platform), await t.sponsor(other)]
    const { body } = await list(platform.token)
    assert.deepEqual(
      body.data.map(({ id }: Body) => id),
      [ours],
    )
    assert.deepEqual(Object.keys(body.data[0]).toSorted(), ['id', 'name', 'slug', 'status'])
    assert.equal(body.total, 1)
    assert.deepEqual((await list(platform.token, `?sponsor_id=${theirs}`)).body.data, [])
  })

  it('200 for administrators: those with the ids, or in a state', async () => {
    const platform = await t.platform()
    const [one, another] = [await t.sponsor(platform), await t.sponsor(platform)]
    for (const token of [t.viewer, t.operator, t.owner]) {
      const { body } = await list(token, `?sponsor_id=${one}&sponsor_id=${another}&sponsor_id=spn_missing`)
      assert.deepEqual(
        body.data.map(({ id }: Body) => id),
        [another, one],
      )
    }
    const { body } = await list(t.owner, `?sponsor_id=${one}&status=INACTIVE`)
    assert.deepEqual(body.data, [])
  })

  it('403 for benefit providers, 401 without a token', async () => {
    assert.equal((await list((await t.provider()).token)).status, 403)
    assert.equal((await t.call('GET', '/v1/sponsor_names')).status, 401)
  })
})
