import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Body, ONBOARDING, openTestApp, type TestPlatform } from '../../support/app.ts'
import { DEADLINE_MS, within } from '../../support/deadline.ts'
import { errorsOf } from '../../support/problems.ts'
import { openSessions, phoneInput } from '../../support/sessions.ts'
import { operatorDouble, provision } from '../../support/wallets.ts'

const t = await openTestApp()
const { signIn, refresh, askOtp, codeOf, resetLimits, challengeFor, verifyOtp } = openSessions(t)

const FREE = { phone_country_code: null, phone_number: null }
let next = 0
/** Ids and numbers that no other test has. */
const newProof = () => ({ number: `FREE${process.pid}X${Date.now()}X${next++}` })

type Holder = { id: string; token: string; phone: string; proof: { number: string } }

const phone = (number: string) => ({ phone_country_code: '+91', phone_number: number })
const ask = (platform: TestPlatform, body: object) => t.call('POST', '/v1/auth/token', { token: platform.token, body })
const patch = (user: { id: string }, token: string, body: object) =>
  t.call('PATCH', `/v1/users/${user.id}`, { token, body })
const read = (user: { id: string }) => t.made('GET', `/v1/users/${user.id}`, { token: t.viewer })
const search = async (platform: TestPlatform, body: object): Promise<string[]> =>
  (await t.made('POST', '/v1/users/search', { token: platform.token, body })).data.map(({ user_id }: Body) => user_id)

/** An onboarded person with an id proof. */
async function scene(): Promise<{ platform: TestPlatform; user: Holder }> {
  const platform = await t.platform()
  const user = await t.onboardedUser(platform)
  const proof = newProof()
  assert.equal((await ask(platform, { ...phone(user.phone), id_proof: proof })).status, 200)
  return { platform, user: { ...user, proof } }
}

describe('PATCH /v1/users/{user_id}: a number that is set free', () => {
  it('200 the number is nobody’s, its next holder is another person, and the id proof still finds this one', async () => {
    const { platform, user } = await scene()
    const response = await patch(user, platform.token, FREE)
    assert.equal(response.status, 200, response.text)
    assert.deepEqual([response.body.phone_country_code, response.body.phone_number], ['', ''])
    assert.deepEqual(await read(user), response.body)
    assert.deepEqual(await t.sql('select 1 from user_phones where user_id = $1', [user.id]), [])
    assert.deepEqual(await search(platform, phone(user.phone)), [])
    assert.deepEqual(await search(platform, { id_proof: user.proof }), [user.id])

    const holder = await ask(platform, phone(user.phone))
    assert.equal(holder.status, 200)
    assert.notEqual(holder.body.user_id, user.id)
    assert.deepEqual(await search(platform, phone(user.phone)), [holder.body.user_id])
    const events = await t.sql(`select 1 from events where subject = $1 and type = 'user.updated'`, [user.id])
    assert.equal(events.length, 2, 'of the id proof, and of this')
  })

  it('200 ends its sessions and codes, and its next holder gets no code of this person', async () => {
    const { platform, user } = await scene()
    const pair = await signIn(platform, user)
    const { id, code } = await challengeFor(platform, user)
    assert.equal((await patch(user, t.operator, FREE)).status, 200)
    assert.equal((await refresh(pair.refresh_token)).status, 401)
    assert.equal((await verifyOtp(id, code)).status, 401)
    await within(
      DEADLINE_MS,
      async () => (await t.call('GET', '/wallet/v1/wallet', { token: pair.access_token })).status === 401,
    )
    await resetLimits()
    const asked = await askOtp(phoneInput(platform, user.phone))
    assert.equal(asked.status, 202)
    assert.equal(await codeOf(asked.body.challenge_id), undefined)
    const codes = await t.made('GET', `/v1/users/${user.id}/one_time_codes`, { token: t.owner })
    assert.deepEqual(
      codes.data.map(({ state }: Body) => state),
      ['VOID', 'USED'],
    )
  })

  it('200 again changes nothing, and other changes go on without a number and end no session', async () => {
    const { platform, user } = await scene()
    const freed = await patch(user, platform.token, FREE)
    const again = await patch(user, platform.token, FREE)
    assert.deepEqual([again.status, again.headers['etag']], [200, freed.headers['etag']])
    const changed = await patch(user, platform.token, { email: 'without@example.com', first_name: 'Aasha' })
    assert.deepEqual([changed.status, changed.body.phone_number, changed.body.email], [200, '', 'without@example.com'])
    assert.deepEqual(await t.sql('select 1 from user_phones where user_id = $1', [user.id]), [])
    const revoked = 'select 1 from revocations where subject = $1'
    assert.deepEqual(await t.sql(revoked, [`user:${user.id}`]), [])
  })

  it('200 two people of a platform can be without a number, and each gets a new one', async () => {
    const { platform, user } = await scene()
    const other = await t.onboardedUser(platform)
    const proof = newProof()
    await ask(platform, { ...phone(other.phone), id_proof: proof })
    for (const one of [user, other]) assert.equal((await patch(one, platform.token, FREE)).status, 200)
    const [first, second] = [user.phone.replace(/^./, '6'), other.phone.replace(/^./, '6')]
    assert.equal((await patch(user, platform.token, phone(first))).body.phone_number, first)
    const issued = await ask(platform, { ...phone(second), id_proof: proof })
    assert.deepEqual([issued.status, issued.body.user_id], [200, other.id])
    assert.equal((await read(other)).phone_number, second)
    assert.equal((await signIn(platform, { phone: second })).success, true)
    assert.deepEqual(await search(platform, phone(first)), [user.id])
  })

  it('409 the former number when somebody else has it now, and 200 when nobody has', async () => {
    const { platform, user } = await scene()
    await patch(user, platform.token, FREE)
    assert.equal((await patch(user, platform.token, phone(user.phone))).status, 200)
    await patch(user, platform.token, FREE)
    const holder = await ask(platform, phone(user.phone))
    const refused = await patch(user, platform.token, phone(user.phone))
    assert.deepEqual([refused.status, refused.body.existing_ids], [409, [holder.body.user_id]])
  })

  it('422 for a user without an id proof, because nobody could find them again: nothing changes, nobody is logged out', async () => {
    const platform = await t.platform()
    const user = await t.onboardedUser(platform)
    const pair = await signIn(platform, user)
    const before = await read(user)
    assert.deepEqual(errorsOf(await patch(user, platform.token, FREE)), ['/phone_number required'])
    assert.deepEqual(await read(user), before)
    assert.equal((await refresh(pair.refresh_token)).status, 200)
    assert.deepEqual(await search(platform, phone(user.phone)), [user.id])
  })

  it('422 for the person, whose platform must see proof', async () => {
    const { user } = await scene()
    assert.deepEqual(errorsOf(await patch(user, user.token, FREE)), [
      '/phone_country_code not_allowed',
      '/phone_number not_allowed',
    ])
    assert.equal((await read(user)).phone_number, user.phone)
  })
})

describe('a user without a number', () => {
  it('is in lists, their CSV and the export, and is onboarded again with the same body', async () => {
    const { platform, user } = await scene()
    await patch(user, platform.token, FREE)
    const listed = await t.made('GET', '/v1/users', { token: platform.token })
    assert.deepEqual([listed.data[0].user_id, listed.data[0].phone_number], [user.id, ''])
    const csv = await t.call('GET', '/v1/users?format=csv', { token: platform.token })
    assert(csv.text.includes(user.id) && !csv.text.includes(user.phone))
    const exported = await t.made('GET', `/v1/users/${user.id}/export`, { token: platform.token })
    assert.equal(exported.user.phone_number, '')
    const url = `/v1/users/${user.id}/complete_onboarding`
    assert.equal((await t.call('POST', url, { token: platform.token, body: ONBOARDING })).status, 200)
  })

  it('has an enrolment form without a number', async () => {
    const { platform, user } = await scene()
    await patch(user, platform.token, FREE)
    const policy = await t.policy(platform, user, await t.benefit(platform, await t.provider()))
    const url = `/v1/users/${user.id}/insurance_policies/${policy}/documents/enrollment_form`
    assert.equal((await t.call('GET', url, { token: platform.token })).status, 200)
  })

  it('has a wallet that is not opened at the operator: FAILED, with the reason, and again when there is a number', async () => {
    const { platform, user } = await scene()
    const { access_token } = await signIn(platform, user)
    await t.made('POST', '/wallet/v1/wallet', { token: access_token })
    await patch(user, platform.token, FREE)
    const { operator } = operatorDouble({ create: async () => assert.fail('the operator is not called') })
    await provision(t, operator, user.id)
    const wallet = await t.made('GET', `/v1/users/${user.id}/wallet`, { token: platform.token })
    assert.equal(wallet.wallet_status, 'FAILED')
    await patch(user, platform.token, phone(user.phone))
    await t.made('POST', `/v1/users/${user.id}/wallet/retry`, { token: t.operator })
    await provision(t, operatorDouble().operator, user.id)
    const opened = await t.made('GET', `/v1/users/${user.id}/wallet`, { token: platform.token })
    assert.equal(opened.wallet_status, 'COMPLETED')
  })

  it('is erased like everybody else', async () => {
    const { platform, user } = await scene()
    await patch(user, platform.token, FREE)
    const erased = await t.call('DELETE', `/v1/users/${user.id}`, { token: platform.token })
    assert.equal(erased.status, 200, erased.text)
    assert.deepEqual(await search(platform, { id_proof: user.proof }), [])
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token: platform.token })).status, 404)
  })
})
