import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findUser } from '../../../src/domains/people/users/index.ts'
import { ADDRESS, ONBOARDING, openTestApp, type TestPlatform, type TestUser } from '../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'
import { everythingStored } from '../../support/stored.ts'

const t = await openTestApp()

const complete = (user: { id: string }, token: string | undefined, body: object = ONBOARDING) =>
  t.call('POST', `/v1/users/${user.id}/complete_onboarding`, { ...(token && { token }), body })

async function scene(): Promise<{ platform: TestPlatform; user: TestUser }> {
  const platform = await t.platform()
  return { platform, user: await t.user(platform) }
}

/** The rows that an onboarding leaves behind. */
async function traces(user: TestUser) {
  const accounts = await t.sql('select account_type, status from accounts where user_id = $1', [user.id])
  const events = await t.sql<{ type: string }>(
    `select type from events where data ->> 'user_id' = $1 and type <> 'user.created' order by type`,
    [user.id],
  )
  const history = await t.sql('select from_status, to_status from user_status_changes where user_id = $1', [user.id])
  const jobs = (await t.startedJobs('open-account')).filter(({ user_id }) => user_id === user.id)
  const [row] = await t.sql<{ revision: number; onboarded: boolean }>(
    'select revision, onboarded_at is not null as onboarded from users where user_id = $1',
    [user.id],
  )
  return { accounts, events: events.map(({ type }) => type), history, jobs: jobs.length, ...row }
}

const UNTOUCHED = { accounts: [], events: [], history: [], jobs: 0, revision: 1, onboarded: false }
const COMPLETE = {
  accounts: [{ account_type: 'SAVINGS', status: 'PENDING' }],
  events: ['account.status_changed', 'user.onboarded'],
  history: [{ from_status: null, to_status: 'PENDING' }],
  jobs: 1,
  revision: 2,
  onboarded: true,
}

describe('POST /v1/users/{user_id}/complete_onboarding', () => {
  it('200 for the platform: profile, token, account, job and events, atomically', async () => {
    const { platform, user } = await scene()
    const response = await complete(user, platform.token)
    assert.equal(response.status, 200)
    const { created_at, last_modified_at, ...profile } = response.body.user
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.ok(last_modified_at >= created_at)
    assert.deepEqual(profile, {
      user_id: user.id,
      phone_country_code: '+91',
      phone_number: user.phone,
      address: ONBOARDING.address,
      dob: ONBOARDING.dob,
      email: ONBOARDING.email,
      first_name: ONBOARDING.first_name,
      last_name: ONBOARDING.last_name,
    })
    assert.deepEqual(await traces(user), COMPLETE)
    const read = await t.call('GET', `/v1/users/${user.id}`, { token: response.body.access_token })
    assert.deepEqual(read.body, response.body.user)
  })

  it('200 for the user with its own token', async () => {
    const { user } = await scene()
    const response = await complete(user, user.token)
    assert.equal(response.status, 200)
    assert.deepEqual(await traces(user), COMPLETE)
    assert.equal((await t.call('GET', `/v1/users/${user.id}`, { token: response.body.access_token })).status, 200)
  })

  it('200 opens an account of the type that the platform requests', async () => {
    const platform = await t.platform({ default_account_type: 'HSA' })
    const user = await t.onboardedUser(platform)
    assert.deepEqual((await traces(user)).accounts, [{ account_type: 'HSA', status: 'PENDING' }])
  })

  it('200 keeps the previous address when none is sent, and replaces it when one is', async () => {
    const platform = await t.platform()
    const { address: _, ...withoutAddress } = ONBOARDING
    const [first, second, none] = [
      await t.user(platform, { address: 'Pune' }),
      await t.user(platform, { address: 'Pune' }),
      await t.user(platform),
    ]
    assert.equal((await complete(first, platform.token, withoutAddress)).body.user.address, 'Pune')
    const both = { ...ADDRESS, raw: '१२ एमजी रोड 🏠' }
    assert.deepEqual((await complete(second, platform.token, { ...ONBOARDING, address: both })).body.user.address, both)
    assert.ok(!('address' in (await complete(none, platform.token, withoutAddress)).body.user))
  })

  it('200 the same body again gets the same response and changes nothing', async () => {
    const { platform, user } = await scene()
    const first = await complete(user, platform.token)
    const spelledOtherwise = {
      ...ONBOARDING,
      bank_details: { ifsc_code: ' hdfc0000001 ', account_number: '001234567890' },
    }
    for (const [token, body] of [
      [platform.token, ONBOARDING],
      [user.token, ONBOARDING],
      [platform.token, Object.fromEntries(Object.entries(ONBOARDING).toReversed())],
      [platform.token, spelledOtherwise],
    ] as const) {
      const again = await complete(user, token, body)
      assert.equal(again.status, 200)
      assert.deepEqual(again.body.user, first.body.user)
    }
    assert.deepEqual(await traces(user), COMPLETE)
  })

  it('409 conflict for another body after completion: nothing changes', async () => {
    const { platform, user } = await scene()
    const { body } = await complete(user, platform.token)
    const { address: _, ...withoutAddress } = ONBOARDING
    for (const other of [
      { ...ONBOARDING, first_name: 'Other' },
      { ...ONBOARDING, title: 'MRS' },
      { ...ONBOARDING, gender: 'OTHER' },
      { ...ONBOARDING, bank_details: { ...ONBOARDING.bank_details, account_number: '001234567891' } },
      withoutAddress,
    ]) {
      const refused = await complete(user, platform.token, other)
      assert.equal(conflictOf(refused), 'different_content')
    }
    assert.deepEqual(await traces(user), COMPLETE)
    assert.deepEqual(await t.made('GET', `/v1/users/${user.id}`, { token: platform.token }), body.user)
  })

  it('200 once: 20 concurrent identical calls create one account, one job and one event', async () => {
    const { platform, user } = await scene()
    const responses = await Promise.all(Array.from({ length: 20 }, () => complete(user, platform.token)))
    assert.deepEqual([...new Set(responses.map((response) => response.status))], [200])
    assert.equal(new Set(responses.map((response) => JSON.stringify(response.body.user))).size, 1)
    assert.deepEqual(await traces(user), COMPLETE)
  })

  it('200 for one and 409 for the others of several concurrent different bodies', async () => {
    const { platform, user } = await scene()
    const bodies = Array.from({ length: 8 }, (_, index) => ({ ...ONBOARDING, first_name: `Asha ${index}` }))
    const responses = await Promise.all(bodies.map((body) => complete(user, platform.token, body)))
    const [done, ...others] = responses.filter((response) => response.status !== 409)
    assert.deepEqual([done?.status, others], [200, []])
    assert.deepEqual(await traces(user), COMPLETE)
    assert.deepEqual(await t.made('GET', `/v1/users/${user.id}`, { token: platform.token }), done?.body.user)
  })

  it('200 keeps names, address and IFSC: the code in upper case, the rest byte for byte', async () => {
    const { platform, user } = await scene()
    const body = {
      ...ONBOARDING,
      first_name: ' आशा ',
      last_name: 'e\u0301 👩🏽',
      bank_details: { account_number: '000001', ifsc_code: ' sbin0ab12c9 ' },
    }
    const response = await complete(user, platform.token, body)
    assert.deepEqual([response.body.user.first_name, response.body.user.last_name], [' आशा ', 'e\u0301 👩🏽'])

    const { profile } = await findUser(t.deps.db, t.deps.vault, {
      userId: user.id as never,
      platformId: null,
      providerId: null,
    })
    assert.deepEqual(profile.bank_details, { account_number: '000001', ifsc_code: 'SBIN0AB12C9' })
    assert.equal(profile.title, 'MS')
    assert.equal(profile.gender, 'FEMALE')
  })

  it('personal data is sealed: the database holds none of it in clear text', async () => {
    const { platform, user } = await scene()
    const body = {
      ...ONBOARDING,
      first_name: 'Sealedfirst',
      last_name: 'Sealedlast',
      email: 'sealed@example.com',
      dob: '1971-11-23',
      address: { ...ADDRESS, line1: 'Sealed Street 9', raw: 'Sealed raw text' },
      bank_details: { account_number: '556677889900', ifsc_code: 'ICIC0998877' },
    }
    const { text } = await complete(user, platform.token, body)
    assert.ok(!text.includes('556677889900') && !text.includes('ICIC0998877'), 'bank details are not returned')
    const stored = await everythingStored(t)
    assert.ok(stored.includes(user.id), 'the right tables were looked at')
    for (const clear of [
      'Sealedfirst',
      'Sealedlast',
      'sealed@',
      '1971-11-23',
      'Sealed Street',
      'Sealed raw',
      '556677889900',
      'ICIC0998877',
      user.phone,
    ]) {
      assert.ok(!stored.includes(clear), `${clear} is in the database`)
    }
  })
})

describe('POST /v1/users/{user_id}/complete_onboarding: errors', () => {
  it('401 without a token, 403 for benefit providers and administrators', async () => {
    const { user } = await scene()
    assert.equal((await complete(user, undefined)).status, 401)
    const provider = await t.provider()
    for (const token of [provider.token, t.owner, t.operator, t.viewer])
      assert.equal((await complete(user, token)).status, 403)
    assert.deepEqual(await traces(user), UNTOUCHED)
  })

  it('404 for another platform’s user as for a missing one, whatever the body', async () => {
    const { platform, user } = await scene()
    const [stranger, neighbour] = [await t.platform(), await t.user(platform)]
    for (const token of [stranger.token, neighbour.token]) {
      for (const body of [ONBOARDING, {}]) {
        assertSameNotFound(await complete(user, token, body), await complete({ id: '099999999999' }, token, body))
      }
    }
    assert.deepEqual(await traces(user), UNTOUCHED)
  })

  it('422 names every required field', async () => {
    const { platform, user } = await scene()
    assert.deepEqual(errorsOf(await complete(user, platform.token, {})), [
      '/bank_details required',
      '/dob required',
      '/email required',
      '/first_name required',
      '/gender required',
      '/last_name required',
      '/title required',
    ])
    const response = await complete(user, platform.token, { ...ONBOARDING, bank_details: {} })
    assert.deepEqual(errorsOf(response), ['/bank_details/account_number required', '/bank_details/ifsc_code required'])
    assert.deepEqual(await traces(user), UNTOUCHED)
  })

  it('422 for each malformed field', async () => {
    const { platform, user } = await scene()
    const bank = (input: object) => ({ bank_details: { ...ONBOARDING.bank_details, ...input } })
    const errors: [object, string[]][] = [
      [bank({ account_number: '12345' }), ['/bank_details/account_number format']],
      [bank({ account_number: '1234567890123456789' }), ['/bank_details/account_number format']],
      [bank({ account_number: 1234567890 }), ['/bank_details/account_number type']],
      [bank({ account_number: '12-345-678' }), ['/bank_details/account_number format']],
      [bank({ ifsc_code: 'HDFC1000001' }), ['/bank_details/ifsc_code format']],
      [bank({ ifsc_code: 'HDFC000001' }), ['/bank_details/ifsc_code format']],
      [bank({ ifsc_code: 'HDF00000001' }), ['/bank_details/ifsc_code format']],
      [{ title: 'DR', gender: 'F' }, ['/gender not_allowed', '/title not_allowed']],
      [{ dob: '1990-02-29', email: 'a@b@c' }, ['/dob format', '/email format']],
      [{ first_name: '', last_name: 'x'.repeat(201) }, ['/first_name too_short', '/last_name too_long']],
      [{ address: { line1: '' } }, ['city', 'country', 'pincode', 'state'].map((line) => `/address/${line} required`)],
    ]
    for (const [input, expected] of errors) {
      assert.deepEqual(errorsOf(await complete(user, platform.token, { ...ONBOARDING, ...input })), expected)
    }
    assert.deepEqual(errorsOf(await complete({ id: '12' }, platform.token)), ['path:user_id format'])
    assert.deepEqual(await traces(user), UNTOUCHED)
  })

  it('422 after completion too, before any conflict', async () => {
    const { platform, user } = await scene()
    await complete(user, platform.token)
    assert.deepEqual(errorsOf(await complete(user, platform.token, { ...ONBOARDING, title: 'SIR' })), [
      '/title not_allowed',
    ])
    assert.deepEqual(await traces(user), COMPLETE)
  })
})
