import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { accountJobs, type AccountProviderClient } from '../../../../src/domains/money/accounts/index.ts'
import { ONBOARDING, openTestApp, type TestUser } from '../../../support/app.ts'
import { ADMIN_KEYS } from '../../../support/keys.ts'
import { meetBehind } from '../../../support/meeting.ts'
import { conflictOf } from '../../../support/problems.ts'

const t = await openTestApp({ own: true })

const [adminKey = ''] = ADMIN_KEYS

afterEach(async () => {
  await t.sql('update accounts set account_provider_id = null')
  await t.sql('delete from account_providers')
})

const newProvider = async (name: string): Promise<string> =>
  (await t.made('POST', '/v1/account_providers', { adminKey, body: { name } })).id

const set = (id: string, status: 'active' | 'inactive') =>
  t.call('PUT', `/v1/account_providers/${id}/status`, { adminKey, body: { status } })

const open = ({ id, token }: TestUser, account_type: string) =>
  t.call('POST', `/v1/users/${id}/accounts`, { token, body: { account_type } })

const onboarded = async () => t.onboardedUser(await t.platform())

/** Returns the user's accounts, oldest first: their type, status and account provider. */
const accountsOf = ({ id }: { id: string }) =>
  t.sql<{ account_type: string; status: string; account_provider_id: string | null }>(
    'select account_type, status, account_provider_id from accounts where user_id = $1 order by created_at, account_id',
    [id],
  )
const providersOf = async (user: { id: string }) =>
  (await accountsOf(user)).map(({ account_provider_id }) => account_provider_id)

/** Runs the jobs of a user's accounts against a bank that opens everything; returns the requests it received. */
async function runJobs({ id }: { id: string }): Promise<string[]> {
  const asked: string[] = []
  const bank: AccountProviderClient = {
    openAccount: async ({ reference }) => {
      asked.push(reference)
      return { outcome: 'opened', external_account_id: `EXT-${reference}`, ifsc_code: 'BNYN0000001' }
    },
  }
  const { 'open-account': run } = accountJobs({ ...t.deps, reportTaken: () => assert.fail() }, bank)
  for (const data of await t.startedJobs('open-account')) if (data['user_id'] === id) await run(data as never)
  return asked
}

describe('the account provider of an account', () => {
  it('is the first active one, for the account of onboarding and for further ones; no record shows it', async () => {
    const [first, second] = [await newProvider('First'), await newProvider('Second')]
    const user = await onboarded()
    assert.equal((await open(user, 'HSA')).status, 201)
    await set(first, 'inactive')
    const { body } = await open(user, 'EDUCATION')
    assert.ok(!JSON.stringify(body).includes(second))
    const later = await onboarded()
    await set(first, 'active')
    assert.equal((await open(user, 'SPONSOR')).status, 201)
    assert.deepEqual(await providersOf(user), [first, first, second, first])
    assert.deepEqual(await providersOf(later), [second])
  })

  it('is empty where none is registered: accounts are opened all the same', async () => {
    const user = await onboarded()
    assert.equal((await open(user, 'HSA')).status, 201)
    assert.deepEqual(await providersOf(user), [null, null])
    assert.equal((await runJobs(user)).length, 2)
    assert.deepEqual(
      (await accountsOf(user)).map(({ status }) => status),
      ['ACTIVE', 'ACTIVE'],
    )
  })

  it('409 inactive for a further account while none is active, and nothing is stored', async () => {
    const provider = await newProvider('Only')
    const user = await onboarded()
    await set(provider, 'inactive')
    assert.equal(conflictOf(await open(user, 'HSA')), 'inactive')
    assert.deepEqual(await providersOf(user), [provider])
    const events = await t.sql(
      `select 1 from events where type = 'account.status_changed' and data ->> 'user_id' = $1`,
      [user.id],
    )
    assert.equal(events.length, 1)
    await set(provider, 'active')
    assert.equal((await open(user, 'HSA')).status, 201)
  })

  it('does not block onboarding: the account is pending, and is opened once a provider is active again', async () => {
    const provider = await newProvider('Only')
    await set(provider, 'inactive')
    const user = await onboarded()
    assert.deepEqual(await accountsOf(user), [
      { account_type: 'SAVINGS', status: 'PENDING', account_provider_id: null },
    ])
    await assert.rejects(runJobs(user), /no account provider is active/)
    assert.deepEqual(await accountsOf(user), [
      { account_type: 'SAVINGS', status: 'PENDING', account_provider_id: null },
    ])
    await set(provider, 'active')
    assert.equal((await runJobs(user)).length, 1)
    assert.deepEqual(await accountsOf(user), [
      { account_type: 'SAVINGS', status: 'ACTIVE', account_provider_id: provider },
    ])
  })

  it('is kept when it becomes inactive: the account can still be opened there and change its status', async () => {
    const [first] = [await newProvider('First'), await newProvider('Second')]
    const user = await onboarded()
    await set(first, 'inactive')
    await runJobs(user)
    assert.deepEqual(await accountsOf(user), [
      { account_type: 'SAVINGS', status: 'ACTIVE', account_provider_id: first },
    ])
    const { data } = await t.made('GET', `/v1/users/${user.id}/accounts`, { token: user.token })
    for (const status of ['INACTIVE', 'ACTIVE']) {
      const address = `/v1/users/${user.id}/accounts/${data[0].id}/status`
      await t.made('PUT', address, { token: t.owner, body: { status } })
    }
    assert.deepEqual(await providersOf(user), [first])
  })

  it('is never one being deactivated concurrently: the next one, or none yet', async () => {
    const platform = await t.platform()
    for (const hasNext of [true, false]) {
      const first = await newProvider('First')
      const next = hasNext ? await newProvider('Next') : null
      const [user, newcomer] = [await t.onboardedUser(platform), await t.user(platform)]
      const deactivate = `update account_providers set status = 'inactive' where account_provider_id = $1`
      const onboarding = { token: platform.token, body: ONBOARDING }
      const responses = await meetBehind(t, { work: [[deactivate, [first]]], outcome: 'commit', waiting: 2 }, [
        () => open(user, 'HSA'),
        () => t.call('POST', `/v1/users/${newcomer.id}/complete_onboarding`, onboarding),
      ])
      assert.deepEqual(
        responses.map(({ status }) => status),
        [201, 200],
      )
      assert.deepEqual([await providersOf(user), await providersOf(newcomer)], [[first, next], [next]])
      await t.sql('update accounts set account_provider_id = null')
      await t.sql('delete from account_providers')
    }
  })
})
