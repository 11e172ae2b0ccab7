import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { erasureDeps } from '../../../src/data-map/erase.ts'
import { runErasures } from '../../../src/domains/privacy/personal-data/index.ts'
import { type Body, openTestApp } from '../../support/app.ts'
import { errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const search = (token: string, body: object, query = '') =>
  t.call('POST', `/v1/insurance_policies/search${query}`, { token, body })
const idsOf = ({ body, text }: Body): string[] => {
  assert(body.data, text)
  return body.data.map(({ id }: { id: string }) => id)
}

/** Three policies of one group, issued with numbers through the API; the newest first. */
async function scene(name: string) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider)
  const ids: string[] = []
  const users: string[] = []
  for (const index of [1, 2, 3]) {
    const user = await t.onboardedUser(platform)
    const id = await t.policy(platform, user, benefit)
    const set = (status: string, more = {}) =>
      t.made('PUT', `/v1/users/${user.id}/insurance_policies/${id}/status`, {
        token: provider.token,
        body: { status, ...more },
      })
    await set('VERIFICATION')
    await set('APPROVED')
    await set('ISSUED', { external_policy_id: `${name}-${index}`, master_policy_number: `${name}-GROUP` })
    ids.unshift(id)
    users.unshift(user.id)
  }
  return { platform, provider, ids, users }
}

describe('POST /v1/insurance_policies/search', () => {
  it('200 the policy with the number of the benefit provider, exactly', async () => {
    const { platform, provider, ids } = await scene('EXACT')
    for (const token of [provider.token, platform.token]) {
      const found = await search(token, { external_policy_id: 'EXACT-2' })
      assert.deepEqual([idsOf(found), found.body.next], [[ids[1]], null])
      assert.equal(found.body.data[0].status, 'ISSUED')
      for (const number of ['EXACT', 'EXACT-22', 'exact-2', ' EXACT-2', 'EXACT-_', 'EXACT-%'])
        assert.deepEqual(idsOf(await search(token, { external_policy_id: number })), [], number)
    }
    for (const token of [t.viewer, t.operator, t.owner])
      assert((await search(token, { external_policy_id: 'EXACT-2' })).body.data.some(({ id }: Body) => id === ids[1]))
  })

  it('200 the policy whose printed number is its reference, as people read it out, or its id', async () => {
    const { platform, provider, ids } = await scene('PRINTED')
    const [, id = ''] = ids
    const reference = id.slice(-12)
    const groups = reference.match(/.{4}/g) ?? []
    const written = [
      reference,
      groups.join('-').toUpperCase(),
      ` ${groups.join(' ')} `,
      groups.join('-'),
      id,
      'PRINTED-2',
    ]
    for (const policy_number of written)
      for (const token of [provider.token, platform.token, t.viewer])
        assert.deepEqual(idsOf(await search(token, { policy_number })), [id], policy_number)
    const misread = reference.replaceAll('0', 'O').replaceAll('1', 'l')
    assert.deepEqual(idsOf(await search(provider.token, { policy_number: misread })), [id])
    const [foreign, foreignProvider] = [await t.platform(), await t.provider()]
    for (const { token } of [foreign, foreignProvider])
      assert.deepEqual(idsOf(await search(token, { policy_number: id })), [])
    for (const wrong of [reference.slice(1), `${reference}0`, 'u'.repeat(12), 'pol_', '-'])
      assert.deepEqual(idsOf(await search(provider.token, { policy_number: wrong })), [], wrong)
  })

  it('200 the policies of a group, page by page', async () => {
    const { provider, ids } = await scene('PAGED')
    const body = { master_policy_number: 'PAGED-GROUP' }
    const first = await search(provider.token, body, '?limit=2')
    const second = await search(provider.token, body, `?limit=2&after=${first.body.next}`)
    assert.deepEqual([idsOf(first), idsOf(second), second.body.next], [ids.slice(0, 2), ids.slice(2), null])
    const other = { master_policy_number: 'OTHER-GROUP' }
    const foreign = await search(provider.token, other, `?after=${first.body.next}`)
    assert.deepEqual(errorsOf(foreign), ['query:after unknown_reference'])
  })

  it('200 nothing of others', async () => {
    const [, theirs] = [await scene('OWN'), await scene('FOREIGN')]
    const ours = await t.provider()
    assert.deepEqual(idsOf(await search(ours.token, { external_policy_id: 'FOREIGN-1' })), [])
    assert.deepEqual(idsOf(await search(theirs.provider.token, { master_policy_number: 'OWN-GROUP' })), [])
    assert.deepEqual(idsOf(await search((await t.platform()).token, { external_policy_id: 'FOREIGN-1' })), [])
  })

  it('200 what is retained of the policy of an erased user, for who would have found it before, and no personal data', async () => {
    const { platform, provider, ids, users } = await scene('KEPT')
    const [, id = ''] = ids
    const [, userId = ''] = users
    const before = (await search(provider.token, { external_policy_id: 'KEPT-2' })).body.data[0]
    assert.equal(before.retained, null)
    const { premium_amounts } = await t.made('GET', `/v1/users/${userId}/insurance_policies/${id}`, provider)
    await t.made('DELETE', `/v1/users/${userId}?end_policies=true`, { token: platform.token })
    await runErasures({ ...t.deps, ...erasureDeps(t.deps) }, t.log)
    const [foreign, foreignProvider] = [await t.platform(), await t.provider()]
    const numbers = [
      { external_policy_id: 'KEPT-2' },
      { policy_number: 'KEPT-2' },
      { policy_number: id.slice(-12) },
      { policy_number: id },
    ]
    for (const number of numbers) {
      for (const token of [provider.token, platform.token, t.viewer, t.operator, t.owner]) {
        const { data } = (await search(token, number)).body
        const own = data.filter((one: Body) => one.id === id)
        const { law, until, ...retained } = own[0].retained
        assert.deepEqual([own.length, law], [1, t.deps.erasure.terms.policies.law])
        assert.match(until, /^20\d\d-03-31$/)
        assert.deepEqual(retained, {
          external_policy_id: 'KEPT-2',
          master_policy_number: 'KEPT-GROUP',
          premium_amounts,
        })
        assert.deepEqual([own[0].status, own[0].assignee, own[0].next_move_on], ['EXPIRED', null, null])
        assert.deepEqual(Object.keys(own[0]), Object.keys(before), 'and no member of a person')
      }
      for (const { token } of [foreign, foreignProvider]) assert.deepEqual(idsOf(await search(token, number)), [])
    }
    const group = await search(provider.token, { master_policy_number: 'KEPT-GROUP' })
    assert.deepEqual(new Set(idsOf(group)), new Set(ids))
    const byUser = await t.call('POST', '/v1/users/search', {
      token: platform.token,
      body: { external_policy_id: 'KEPT-2' },
    })
    assert.deepEqual([byUser.status, byUser.body.total], [200, 0], 'nobody finds the person by it')
    assert.equal((await t.call('GET', `/v1/users/${userId}/insurance_policies/${id}`, provider)).status, 404)
    const listed = await t.made('GET', '/v1/insurance_policies?limit=100', provider)
    assert(listed.data.every((one: Body) => one.id !== id && !('retained' in one)))
  })

  it('200 nothing of an erased user whose retention is over, before and after the numbers are deleted', async () => {
    const { provider, users, ids } = await scene('OVER')
    const [userId = ''] = users
    await t.made('DELETE', `/v1/users/${userId}?end_policies=true`, { token: t.owner })
    const found = async () => [
      ...idsOf(await search(provider.token, { external_policy_id: 'OVER-3' })),
      ...idsOf(await search(provider.token, { policy_number: ids[0] })),
    ]
    assert.deepEqual(await found(), [ids[0], ids[0]])
    const [yesterday, today] = [-1, 0].map((days) =>
      new Date(t.deps.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10),
    )
    await t.sql('update erasures set policies_until = $2 where user_id = $1', [userId, today])
    assert.deepEqual(await found(), [ids[0], ids[0]], 'on the last day')
    await t.sql('update erasures set policies_until = $2 where user_id = $1', [userId, yesterday])
    assert.deepEqual(await found(), [])
  })

  it('422 not exactly one number', async () => {
    const { token } = await t.provider()
    assert.deepEqual(errorsOf(await search(token, {})), [' required'])
    const both = { external_policy_id: '1', master_policy_number: '2' }
    assert.deepEqual(errorsOf(await search(token, both)), [' not_allowed'])
    assert.deepEqual(errorsOf(await search(token, { external_policy_id: '' })), ['/external_policy_id too_short'])
  })
})
