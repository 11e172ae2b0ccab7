import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type TestResponse, openTestApp, type TestPlatform } from '../../../support/app.ts'
import { issueToFamily } from '../../../support/issued-policies.ts'
import { errorsOf } from '../../../support/problems.ts'

// Here, and not in the fast tier: administrators search at most a thousand platforms at once, and the fast tier makes as many.
const t = await openTestApp()

const search = (token: string | undefined, body: unknown, { query = '', headers = {} } = {}) =>
  t.call('POST', `/v1/users/search${query}`, { ...(token && { token }), body, headers })

const phone = (phone_number: string, phone_country_code = '+91') => ({ phone_country_code, phone_number })
const idProof = (number: string) => ({ id_proof: { number } })
const idsIn = ({ body }: TestResponse): string[] => body.data.map((user: { user_id: string }) => user.user_id)

async function found(token: string, body: unknown): Promise<string[]> {
  const response = await search(token, body)
  assert.equal(response.status, 200, response.text)
  assert.equal(response.body.total, response.body.data.length)
  return idsIn(response)
}

/** Creates a user with this id proof. */
const proven = async (platform: TestPlatform, number: string) => (await t.user(platform, idProof(number))).id

describe('POST /v1/users/search', () => {
  it('200 finds a user by phone, identical to a read by id; spaces around it are ignored, everything else counts', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const response = await search(platform.token, phone(user.phone))
    const record = await t.made('GET', `/v1/users/${user.id}`, { token: platform.token })
    assert.deepEqual(response.body, { data: [record], limit: 20, offset: 0, total: 1 })
    assert.deepEqual(await found(platform.token, phone(` ${user.phone} `, '+91 ')), [user.id])
    for (const other of [phone(user.phone, '+44'), phone(user.phone.slice(0, -1))]) {
      assert.deepEqual(await found(platform.token, other), [])
    }
    const dialledWithin = await search(platform.token, phone(`0${user.phone}`))
    assert.deepEqual(errorsOf(dialledWithin), ['/phone_number format'], 'the 0 is no part of the number')
  })

  it('200 finds a user by the current phone, and by no earlier one', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await t.made('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: phone('9600000001') })
    assert.deepEqual(await found(platform.token, phone('9600000001')), [user.id])
    assert.deepEqual(await found(platform.token, phone(user.phone)), [])
  })

  it('200 finds a user by the id proof, however it is typed, and by all of it', async () => {
    const platform = await t.platform()
    const id = await proven(platform, 'AB1234567')
    assert.deepEqual(await found(platform.token, idProof('AB1234567')), [id])
    for (const same of ['ab1234567', ' AB1234567 ']) assert.deepEqual(await found(platform.token, idProof(same)), [id])
    for (const other of ['AB123456', 'AB12345678', '4567']) {
      assert.deepEqual(await found(platform.token, idProof(other)), [])
    }
  })

  it('200 finds the users of a policy by the benefit provider’s number, each once, newest first', async () => {
    const at = await issueToFamily(t, {}, { external_policy_id: 'EXT-77' })
    const { benefit_id } = (await t.call('GET', at.address, { token: at.platform.token })).body
    const newer = await t.onboardedUser(at.platform)
    for (const [holder, start_date] of [
      [at.user, '2030-04-01'],
      [newer, '2026-04-01'],
    ] as const) {
      const id = await t.policy(at.platform, holder, benefit_id, { start_date })
      const url = `/v1/users/${holder.id}/insurance_policies/${id}/status`
      const body = { status: 'VERIFICATION', external_policy_id: 'EXT-77' }
      await t.made('PUT', url, { token: at.provider.token, body })
    }
    const asked = { external_policy_id: 'EXT-77' }
    assert.deepEqual(await found(at.platform.token, asked), [newer.id, at.user.id])
    const page = await search(at.platform.token, asked, { query: '?limit=1&offset=1' })
    assert.deepEqual([idsIn(page), page.body.total], [[at.user.id], 2])
    const links = ['first', 'prev', 'last'].map(
      (rel) => `</v1/users/search?limit=1&offset=${rel === 'last' ? 1 : 0}>; rel="${rel}"`,
    )
    assert.equal(page.headers['link'], links.join(', '))
    assert.deepEqual(await found(at.platform.token, { external_policy_id: 'EXT-7' }), [])
  })

  it('200 a platform finds no users of another', async () => {
    const stranger = (await t.platform()).token
    const at = await issueToFamily(t, {}, { external_policy_id: 'EXT-88' })
    await proven(at.platform, 'CD1234567')
    for (const asked of [phone(at.user.phone), idProof('CD1234567'), { external_policy_id: 'EXT-88' }]) {
      assert.deepEqual(await found(stranger, asked), [])
      assert.equal((await found(at.platform.token, asked)).length, 1)
    }
  })

  it('200 administrators search all platforms, or the one they name', async () => {
    const [one, other] = [await t.platform(), await t.platform()]
    const input = { ...idProof('EF1234567'), ...phone('9600000011') }
    const ids = [(await t.user(one, input)).id, (await t.user(other, input)).id]
    for (const token of [t.viewer, t.operator, t.owner]) {
      for (const asked of [phone('9600000011'), idProof('EF1234567')]) {
        assert.deepEqual(await found(token, asked), ids.toReversed())
        assert.deepEqual(await found(token, { ...asked, platform_id: one.id }), ids.slice(0, 1))
        assert.deepEqual(await found(token, { ...asked, platform_id: 'plt_missing' }), [])
      }
    }
    const at = await issueToFamily(t, {}, { external_policy_id: 'EXT-99' })
    const asked = { external_policy_id: 'EXT-99' }
    assert.deepEqual(await found(t.viewer, asked), [at.user.id])
    assert.deepEqual(await found(t.viewer, { ...asked, platform_id: at.platform.id }), [at.user.id])
    assert.deepEqual(await found(t.viewer, { ...asked, platform_id: one.id }), [])
  })

  it('200 it is a read: nothing is written, and an Idempotency-Key stores no response', async () => {
    const platform = await t.platform()
    const counts = () =>
      t.sql('select (select count(*) from idempotency_keys) as keys, (select count(*) from events) as events')
    const headers = { 'idempotency-key': 'search-1' }
    const user = await t.user(platform)
    const before = await counts()
    for (const [asked, expected] of [
      [phone(user.phone), [user.id]],
      [idProof('nobody'), []],
    ] as const) {
      const response = await search(platform.token, asked, { headers })
      assert.deepEqual([response.status, idsIn(response)], [200, expected])
      assert.equal(response.headers['idempotent-replayed'], undefined)
    }
    assert.deepEqual(await counts(), before)
  })

  it('takes one statement; administrators who name no platform cost one more for the platforms', async () => {
    const platform = await t.platform()
    const sent = async (token: string, body: object) => {
      t.sent.length = 0
      await found(token, body)
      return t.sent.filter((name) => name !== 'revocations_read')
    }
    const { viewer } = t
    for (const token of [platform.token, viewer]) {
      const at = token === viewer ? { platform_id: platform.id } : {}
      assert.deepEqual(await sent(token, { ...phone('9600000021'), ...at }), ['users_search_by_phone'])
      assert.deepEqual(await sent(token, { ...idProof('X'), ...at }), ['users_search_by_id_proof'])
      assert.deepEqual(await sent(token, { external_policy_id: 'X' }), ['users_search_by_policy'])
    }
    assert.deepEqual(await sent(t.viewer, phone('9600000021')), ['platforms_list_ids', 'users_search_by_phone'])
  })
})

describe('POST /v1/users/search: errors', () => {
  it('401 without a token, 403 for app users and benefit providers', async () => {
    const user = await t.user(await t.platform())
    assert.equal((await search(undefined, phone(user.phone))).status, 401)
    for (const token of [user.token, (await t.provider()).token]) {
      assert.equal((await search(token, phone(user.phone))).status, 403)
    }
  })

  it('405 for GET: no URL holds a phone', async () => {
    const { token } = await t.platform()
    const response = await t.call('GET', '/v1/users/search?phone_number=9600000031', { token })
    assert.deepEqual([response.status, response.headers['allow']], [405, 'POST'])
  })

  it('422 for an empty search, for two criteria, for half a phone, and for another platform', async () => {
    const [platform, other] = [await t.platform(), await t.platform()]
    const errors = async (body: unknown, token = platform.token) => errorsOf(await search(token, body))
    const [full, proof, number] = [phone('9600000041'), idProof('X'), { external_policy_id: 'X' }]
    assert.deepEqual(await errors({}), [' required'])
    assert.deepEqual(await errors({ platform_id: platform.id }), [' required'])
    for (const both of [
      { ...full, ...proof },
      { ...full, ...number },
      { ...proof, ...number },
    ]) {
      assert.deepEqual(await errors(both), [' not_allowed'])
    }
    assert.deepEqual(await errors({ phone_number: '9600000041' }), ['/phone_country_code required'])
    assert.deepEqual(await errors({ ...full, platform_id: other.id }), ['/platform_id not_allowed'])
    assert.deepEqual(await found(platform.token, { ...full, platform_id: platform.id }), [])
    assert.deepEqual(await errors({ id_proof: {} }), ['/id_proof/number required'])
    assert.deepEqual(await errors(phone('x', '91')), ['/phone_country_code format', '/phone_number format'])
    assert.deepEqual(await errors({ external_policy_id: '', platform_id: 7 }, t.viewer), [
      '/external_policy_id too_short',
      '/platform_id type',
    ])
  })

  it('422 administrators must name the platform when there are too many to search', async () => {
    await t.sql(
      `insert into platforms (platform_id, name, status, default_account_type)
       select 'plt_many' || n, 'One of many', 'ACTIVE', 'SAVINGS' from generate_series(1, 1000) n`,
    )
    const platform = await t.platform()
    const user = await t.user(platform)
    assert.deepEqual(errorsOf(await search(t.viewer, phone(user.phone))), ['/platform_id required'])
    assert.deepEqual(await found(t.viewer, { ...phone(user.phone), platform_id: platform.id }), [user.id])
    assert.deepEqual(await found(t.viewer, { external_policy_id: 'of nobody' }), [])
  })
})
