import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillPlatforms } from '../../../src/domains/people/users/index.ts'
import { openTestApp } from '../../support/app.ts'

const t = await openTestApp({ own: true })

describe('rows of an earlier version, which lack the platform', () => {
  it('are in the lists of the platform once a worker has filled it in, unchanged otherwise', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider)
    const user = await t.onboardedUser(platform)
    const policy = await t.policy(platform, user, benefit)
    const consultation = await t.consultation(platform, user, provider)
    const lists = ['insurance_policies', 'accounts', 'consultations']
    const listed = async () => {
      const pages = lists.map((list) => t.made('GET', `/v1/${list}`, { token: platform.token }))
      return (await Promise.all(pages)).map(({ data }) => data)
    }
    const before = await listed()
    assert.deepEqual([before[0][0].id, before[1].length, before[2][0].id], [policy, 1, consultation])
    for (const table of lists) await t.sql(`update ${table} set platform_id = null`)
    assert.deepEqual(await listed(), [[], [], []])
    assert.equal((await t.made('GET', '/v1/insurance_policies', { token: provider.token })).data.length, 1)
    assert.equal(await fillPlatforms(t.db), 3)
    assert.deepEqual(await listed(), before)
    assert.equal(await fillPlatforms(t.db), 0)
  })
})
