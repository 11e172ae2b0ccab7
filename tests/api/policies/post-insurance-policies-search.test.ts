import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
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
  }
  return { platform, provider, ids }
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

  it('422 not exactly one number', async () => {
    const { token } = await t.provider()
    assert.deepEqual(errorsOf(await search(token, {})), [' required'])
    const both = { external_policy_id: '1', master_policy_number: '2' }
    assert.deepEqual(errorsOf(await search(token, both)), [' not_allowed'])
    assert.deepEqual(errorsOf(await search(token, { external_policy_id: '' })), ['/external_policy_id too_short'])
  })
})
