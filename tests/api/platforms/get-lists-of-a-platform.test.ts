import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, type TestResponse } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()
const [ours, theirs, provider] = [await t.platform(), await t.platform(), await t.provider()]
const [benefit, other] = [await t.benefit(ours, provider), await t.benefit(theirs, provider)]

const idsOf = ({ body }: TestResponse): string[] => body.data.map(({ id }: { id: string }) => id)
const ask = (list: string, platformId: string, token: string | undefined) =>
  t.call('GET', `/v1/${list}?platform_id=${platformId}&limit=100`, { ...(token !== undefined && { token }) })

describe('a list of one platform', () => {
  it('200 has for administrators the benefits and sponsors of the platform_id, and no others', async () => {
    for (const token of [t.viewer, t.operator, t.owner]) {
      assert.deepEqual(idsOf(await ask('benefits', ours.id, token)), [benefit])
      const names = idsOf(await ask('sponsor_names', ours.id, token))
      const record = await t.made('GET', `/v1/benefits/${benefit}`, { token })
      const foreign = await t.made('GET', `/v1/benefits/${other}`, { token })
      assert(names.includes(String(record['sponsor_id'])))
      assert(!names.includes(String(foreign['sponsor_id'])))
      assert.deepEqual(idsOf(await ask('benefits', 'plt_missing', token)), [])
    }
  })

  it('422 for others, unless it is their own', async () => {
    assert.deepEqual(idsOf(await ask('benefits', ours.id, ours.token)), [benefit])
    for (const list of ['benefits', 'sponsor_names'])
      assert.deepEqual(errorsOf(await ask(list, theirs.id, ours.token)), ['query:platform_id not_allowed'])
    assert.deepEqual(errorsOf(await ask('benefits', ours.id, provider.token)), ['query:platform_id not_allowed'])
    assert.equal((await ask('benefits', ours.id, undefined)).status, 401)
  })
})
