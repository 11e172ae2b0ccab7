import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADDRESS, ONBOARDING, openTestApp, type TestPlatform } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { meetAt, meetBehind } from '../../support/meeting.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'
import { openSessions, phoneInput } from '../../support/sessions.ts'

const t = await openTestApp()
const { signIn, refresh, askOtp, codeOf, resetLimits, challengeFor, verifyOtp } = openSessions(t)

type Who = { id: string }

const patch = (user: Who, token: string | undefined, body: unknown, headers = {}) =>
  t.call('PATCH', `/v1/users/${user.id}`, { ...(token && { token }), body, headers })

const read = (user: Who) => t.call('GET', `/v1/users/${user.id}`, { token: t.viewer })
const phone = (phone_number: string, phone_country_code = '+91') => ({ phone_country_code, phone_number })
const ask = (platform: TestPlatform, body: object) => t.call('POST', '/v1/auth/token', { token: platform.token, body })

async function scene() {
  const { platform } = await t.offer()
  return { platform, user: await t.onboardedUser(platform) }
}

/** All rows that an update could write. */
async function tracesOf({ id }: Who) {
  const rows = await t.sql('select * from users where user_id = $1', [id])
  const phones = await t.sql('select * from user_phones where user_id = $1', [id])
  return { rows, phones, events: await eventsOf({ id }) }
}

const eventsOf = ({ id }: Who) =>
  t.sql(`select type, platform_id, data from events where subject = $1 and type = 'user.updated'`, [id])

describe('PATCH /v1/users/{user_id}', () => {
  it('200 changes the fields sent and keeps the rest, and emits its event once, without personal data', async () => {
    const { platform, user } = await scene()
    const before = (await read(user)).body
    const response = await patch(user, platform.token, { email: 'new@example.com', first_name: 'आशा' })
    assert.equal(response.status, 200, response.text)
    const { last_modified_at: _, ...expected } = { ...before, email: 'new@example.com', first_name: 'आशा' }
    const { last_modified_at: changedAt, ...record } = response.body
    assert.deepEqual(record, expected)
    assert.ok(changedAt >= before.last_modified_at)
    const after = await read(user)
    assert.deepEqual([after.body, after.headers['etag']], [response.body, response.headers['etag']])
    assert.deepEqual(await eventsOf(user), [
      { type: 'user.updated', platform_id: platform.id, data: { user_id: user.id } },
    ])
  })

  it('200 for the platform, an operator and an owner; as a merge patch too, ignoring unknown members', async () => {
    const { platform, user } = await scene()
    const headers = { 'content-type': 'application/merge-patch+json' }
    for (const [index, token] of [platform.token, t.operator, t.owner].entries()) {
      const body = { last_name: `Example ${index}`, dob: `1990-05-1${index}`, nickname: 'A' }
      const response = await patch(user, token, body, headers)
      assert.deepEqual([response.status, response.body.last_name, response.body.dob], [200, body.last_name, body.dob])
    }
    assert.equal((await eventsOf(user)).length, 3)
  })

  it('200 users change their own email and address', async () => {
    const { user } = await scene()
    const address = { ...ADDRESS, line2: 'Third floor', raw: 'Third floor, 12 MG Road' }
    const response = await patch(user, user.token, { email: 'mine@example.com', address })
    assert.deepEqual([response.status, response.body.email, response.body.address], [200, 'mine@example.com', address])
  })

  it('200 an address is replaced as a whole, and null removes it', async () => {
    const { platform, user } = await scene()
    await patch(user, platform.token, { address: { ...ADDRESS, line2: 'Third floor' } })
    const { address } = (await patch(user, platform.token, { address: ADDRESS })).body
    assert.deepEqual(address, ADDRESS)
    for (const token of [platform.token, user.token]) {
      const response = await patch(user, token, { address: null })
      assert.deepEqual([response.status, 'address' in response.body], [200, false])
    }
  })

  it('200 before onboarding null removes any field, and does nothing where none is stored', async () => {
    const platform = await t.platform()
    const { dob, email, first_name, last_name } = ONBOARDING
    const { user_id: id } = (await ask(platform, { ...phone('9700000002'), dob, email, first_name, last_name })).body
    const gone = { address: null, email: null, dob: null, first_name: null, last_name: null }
    const { body } = await patch({ id }, platform.token, gone)
    assert.deepEqual([body.email, body.dob, body.first_name, body.last_name], [null, null, null, null])
    const again = await patch({ id }, platform.token, gone)
    assert.deepEqual([again.status, again.body], [200, body])
  })

  it('200 with the unchanged user when nothing changes: no version, no event', async () => {
    const { platform, user } = await scene()
    const before = await tracesOf(user)
    const record = await read(user)
    const { user_id: _, created_at: __, last_modified_at: ___, ...whole } = record.body
    const padded = { phone_country_code: ' +91 ', phone_number: ` ${user.phone}\t` }
    for (const body of [whole, padded, { gender: 'FEMALE', title: 'MS' }, { email: whole.email, nickname: 'A' }]) {
      const response = await patch(user, platform.token, body)
      assert.deepEqual([response.status, response.body], [200, record.body])
      assert.equal(response.headers['etag'], record.headers['etag'])
    }
    assert.deepEqual(await tracesOf(user), before)
  })

  it('200 before onboarding too, after which the platform’s next fields still apply', async () => {
    const platform = await t.platform()
    const input = { ...phone('9700000001'), first_name: 'Asha' }
    const { user_id: id } = (await ask(platform, input)).body
    await patch({ id }, platform.token, { first_name: 'Aasha' })
    assert.equal((await read({ id })).body.first_name, 'Aasha')
    await ask(platform, input)
    assert.equal((await read({ id })).body.first_name, 'Asha', 'sent again, it is what the platform says')
  })

  it('200 the onboarding body repeated after a change still succeeds, with the current user', async () => {
    const { platform, user } = await scene()
    await patch(user, platform.token, { first_name: 'Aasha' })
    const url = `/v1/users/${user.id}/complete_onboarding`
    const again = await t.call('POST', url, { token: platform.token, body: ONBOARDING })
    assert.deepEqual([again.status, again.body.user.first_name], [200, 'Aasha'])
  })

  it('412 when If-Match names another version than the stored one, 200 when it names this one', async () => {
    const { platform, user } = await scene()
    const etag = String((await read(user)).headers['etag'])
    const before = await tracesOf(user)
    for (const stale of ['"other"', 'W/"other"']) {
      const refused = await patch(user, platform.token, { last_name: 'Late' }, { 'if-match': stale })
      assert.deepEqual([refused.status, refused.body.code], [412, 'precondition_failed'])
    }
    assert.deepEqual(await tracesOf(user), before)
    const made = await patch(user, platform.token, { last_name: 'First' }, { 'if-match': etag })
    assert.equal(made.status, 200)
    assert.equal((await patch(user, platform.token, { last_name: 'Late' }, { 'if-match': etag })).status, 412)
    assert.equal((await read(user)).body.last_name, 'First')
  })

  it('200 once: a retry with its Idempotency-Key gets the first response, even after another change', async () => {
    const { platform, user } = await scene()
    const headers = { 'idempotency-key': 'update-1' }
    const first = await patch(user, platform.token, { last_name: 'One' }, headers)
    await patch(user, platform.token, { last_name: 'Two' })
    const again = await patch(user, platform.token, { last_name: 'One' }, headers)
    assert.deepEqual([again.status, again.text], [200, first.text])
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal((await read(user)).body.last_name, 'Two')
    assert.equal((await eventsOf(user)).length, 2)
  })

  it('200 for concurrent changes of different fields: none overwrites another', async () => {
    const { platform, user } = await scene()
    const [call = t.call, other = t.call] = await t.openNodes(2)
    const at = { table: 'users', key: 'user_id', id: user.id }
    const send = (by: typeof t.call, body: object) => () =>
      by('PATCH', `/v1/users/${user.id}`, { token: platform.token, body })
    await meetAt(t, at, [send(call, { email: 'a@example.com' }), send(other, { last_name: 'B' })])
    const { email, last_name } = (await read(user)).body
    assert.deepEqual([email, last_name], ['a@example.com', 'B'])
    assert.equal((await eventsOf(user)).length, 2)
  })
})

describe('PATCH /v1/users/{user_id}: a new phone', () => {
  it('200 the user is found by the new phone, and the old one is free for its next holder', async () => {
    const { platform, user } = await scene()
    const response = await patch(user, platform.token, phone('9700000011'))
    assert.deepEqual([response.status, response.body.phone_number], [200, '9700000011'])
    assert.equal((await ask(platform, phone('9700000011'))).body.user_id, user.id)
    assert.notEqual((await ask(platform, phone(user.phone))).body.user_id, user.id)
    assert.equal((await tracesOf(user)).phones.length, 1)
  })

  it('200 by an administrator; the dial code is part of the phone', async () => {
    const { platform, user } = await scene()
    const response = await patch(user, t.operator, phone(user.phone, '+44'))
    assert.deepEqual([response.status, response.body.phone_country_code], [200, '+44'])
    assert.notEqual((await ask(platform, phone(user.phone))).body.user_id, user.id)
    assert.equal((await ask(platform, phone(user.phone, '+44'))).body.user_id, user.id)
  })

  it('200 ends the old phone’s wallet sessions, and its next holder gets no code; other changes end none', async () => {
    const { platform, user } = await scene()
    const pair = await signIn(platform, user)
    await patch(user, platform.token, { email: 'new@example.com' })
    const next = await refresh(pair.refresh_token)
    assert.equal(next.status, 200, 'still signed in')
    const wallet = async () => (await t.call('GET', '/wallet/v1/wallet', { token: next.body.access_token })).status
    assert.equal(await wallet(), 404, 'let in; there is no wallet yet')

    await patch(user, platform.token, phone('9700000021'))
    assert.equal((await refresh(next.body.refresh_token)).status, 401)
    await within(DEADLINE_MS, async () => (await wallet()) === 401)
    await resetLimits()
    assert.equal(await codeOf((await askOtp(phoneInput(platform, user.phone))).body.challenge_id), undefined)
    const fresh = (await askOtp(phoneInput(platform, '9700000021'))).body.challenge_id
    assert.match(String(await codeOf(fresh)), /^[0-9]{6}$/)
  })

  it('200 also ends a session that begins with a code of the old phone at the same moment', async () => {
    const { platform, user } = await scene()
    const { id, code } = await challengeFor(platform, user)
    const [begun, changed] = await meetBehind(
      t,
      { work: [['select from users where user_id = $1 for update', [user.id]]], outcome: 'commit', waiting: 2 },
      [() => verifyOtp(id, code), () => patch(user, platform.token, phone('9700000022'))],
    )
    assert.deepEqual([begun?.status, changed?.status], [200, 200])
    assert.equal((await refresh(begun?.body.refresh_token)).status, 401)
    const wallet = async () => (await t.call('GET', '/wallet/v1/wallet', { token: begun?.body.access_token })).status
    await within(DEADLINE_MS, async () => (await wallet()) === 401)
  })

  it('409 already_exists when another user of the platform has it: nothing changes, and nobody is logged out', async () => {
    const { platform, user } = await scene()
    const other = await t.user(platform)
    const pair = await signIn(platform, user)
    const before = [await tracesOf(user), await tracesOf(other)]
    for (const token of [platform.token, t.owner]) {
      const refused = await patch(user, token, { ...phone(other.phone), email: 'new@example.com' })
      assert.equal(refused.status, 409)
      const { code, reason, existing_ids } = refused.body
      assert.deepEqual(
        { code, reason, existing_ids },
        { code: 'conflict', reason: 'already_exists', existing_ids: [other.id] },
      )
      assert.ok(!refused.text.includes(other.phone))
    }
    assert.deepEqual([await tracesOf(user), await tracesOf(other)], before)
    assert.equal((await refresh(pair.refresh_token)).status, 200)
  })

  it('200 when a user of another platform has it', async () => {
    const { platform, user } = await scene()
    const stranger = await t.user(await t.platform())
    assert.equal((await patch(user, platform.token, phone(stranger.phone))).status, 200)
    assert.equal((await read(stranger)).body.phone_number, stranger.phone)
  })

  it('409 for all but one of several concurrent users that take one phone', async () => {
    const platform = await t.platform()
    const users = await Promise.all(Array.from({ length: 6 }, () => t.user(platform)))
    const responses = await Promise.all(users.map((user) => patch(user, platform.token, phone('9700000031'))))
    const winners = users.filter((_, index) => responses[index]?.status === 200)
    assert.equal(winners.length, 1)
    for (const { status, body } of responses.filter((response) => response.status !== 200)) {
      assert.deepEqual([status, body.reason, body.existing_ids], [409, 'already_exists', [winners[0]?.id]])
    }
    assert.equal((await ask(platform, phone('9700000031'))).body.user_id, winners[0]?.id)
  })
})

describe('PATCH /v1/users/{user_id}: errors', () => {
  it('401 without a token, 403 for viewers and benefit providers', async () => {
    const { user } = await scene()
    const before = await tracesOf(user)
    const body = { email: 'new@example.com' }
    assert.equal((await patch(user, undefined, body)).status, 401)
    for (const token of [t.viewer, (await t.provider()).token])
      assert.equal((await patch(user, token, body)).status, 403)
    assert.deepEqual(await tracesOf(user), before)
  })

  it('404 for somebody else’s user as for a missing one, whatever the body', async () => {
    const { platform, user } = await scene()
    const [neighbour, stranger] = [await t.user(platform), await t.platform()]
    const before = await tracesOf(user)
    for (const body of [{ email: 'new@example.com' }, { first_name: 'Ravi' }, {}]) {
      const missing = await patch({ id: '099999999999' }, platform.token, body)
      assertSameNotFound(await patch(user, stranger.token, body), missing)
      assertSameNotFound(await patch(user, neighbour.token, body), missing)
    }
    assert.deepEqual(await tracesOf(user), before)
  })

  it('422 names the fields that users cannot change, and changes nothing else either', async () => {
    const { user } = await scene()
    const before = await tracesOf(user)
    const body = { ...phone('9700000041'), first_name: 'Ravi', dob: null, gender: 'MALE', email: 'new@example.com' }
    assert.deepEqual(errorsOf(await patch(user, user.token, body)), [
      '/dob not_allowed',
      '/first_name not_allowed',
      '/gender not_allowed',
      '/phone_country_code not_allowed',
      '/phone_number not_allowed',
    ])
    assert.deepEqual(await tracesOf(user), before)
  })

  it('422 null for what onboarding requires: an onboarded user keeps it, and no policy or event follows', async () => {
    const { platform, user } = await scene()
    const before = await tracesOf(user)
    const gone = { first_name: null, last_name: null, dob: null, email: null }
    for (const token of [platform.token, t.operator, t.owner]) {
      const refused = await patch(user, token, { ...gone, address: null })
      assert.deepEqual(errorsOf(refused), [
        '/dob required',
        '/email required',
        '/first_name required',
        '/last_name required',
      ])
    }
    assert.deepEqual(errorsOf(await patch(user, user.token, { email: null, address: 'Pune' })), ['/email required'])
    assert.deepEqual(await tracesOf(user), before)
  })

  it('422 or 200: an onboarding at the same moment as a null wins over it', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    await patch(user, platform.token, { email: 'asha@example.com' })
    const [call = t.call, other = t.call] = await t.openNodes(2)
    const [done, removed] = await meetAt(t, { table: 'users', key: 'user_id', id: user.id }, [
      () => call('POST', `/v1/users/${user.id}/complete_onboarding`, { token: platform.token, body: ONBOARDING }),
      () => other('PATCH', `/v1/users/${user.id}`, { token: platform.token, body: { email: null } }),
    ])
    assert.equal(done?.status, 200)
    assert.ok([200, 422].includes(removed?.status ?? 0), removed?.text)
    assert.equal((await read(user)).body.email, ONBOARDING.email)
  })

  it('422 for an empty change, half a phone, and every error at once, none twice', async () => {
    const { platform, user } = await scene()
    const before = await tracesOf(user)
    const errors = async (body: unknown) => errorsOf(await patch(user, platform.token, body))
    assert.deepEqual(await errors({}), [' required'])
    assert.deepEqual(await errors({ nickname: 'A', id_proof: { number: 'AB1234567' } }), [' required'])
    assert.deepEqual(await errors({ phone_number: '9700000051' }), ['/phone_country_code required'])
    assert.deepEqual(await errors({ phone_country_code: '+44' }), ['/phone_number required'])
    assert.deepEqual(await errors({ phone_number: null }), ['/phone_country_code required'])
    assert.deepEqual(await errors({ phone_country_code: '+91', phone_number: null }), ['/phone_number required'])
    assert.deepEqual(await errors({ phone_country_code: '', phone_number: '' }), [
      '/phone_country_code format',
      '/phone_number format',
    ])
    assert.deepEqual(await errors(phone('12345678901234', '+1212')), ['/phone_number too_long'])
    const wrong = { phone_country_code: 91, phone_number: 9, email: 'x', dob: '1899-12-31', first_name: '' }
    assert.deepEqual(await errors({ ...wrong, last_name: 7, gender: null, title: 'DR', address: { line1: 'x' } }), [
      '/address/city required',
      '/address/country required',
      '/address/pincode required',
      '/address/state required',
      '/dob format',
      '/email format',
      '/first_name too_short',
      '/gender type',
      '/last_name type',
      '/phone_country_code type',
      '/phone_number type',
      '/title not_allowed',
    ])
    assert.deepEqual(await tracesOf(user), before)
  })
})
