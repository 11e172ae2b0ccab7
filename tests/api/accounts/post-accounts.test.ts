import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, type TestUser } from '../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const open = (user: { id: string }, token: string | undefined, body: object) =>
  t.call('POST', `/v1/users/${user.id}/accounts`, { ...(token && { token }), body })

/** An onboarded user; onboarding has opened SAVINGS already. */
async function scene() {
  const { platform } = await t.offer()
  return { platform, user: await t.onboardedUser(platform) }
}

const setStatus = (user: { id: string }, id: string, status: string) =>
  t.made('PUT', `/v1/users/${user.id}/accounts/${id}/status`, { token: t.owner, body: { status } })

async function assertOpened(user: TestUser, types: string[]): Promise<void> {
  const rows = await t.sql<{ account_type: string }>(
    'select account_type from accounts where user_id = $1 order by 1',
    [user.id],
  )
  const history = await t.sql(`select 1 from user_status_changes where user_id = $1 and entity_id like 'acc%'`, [
    user.id,
  ])
  const events = await t.sql(`select 1 from events where type = 'account.status_changed' and data ->> 'user_id' = $1`, [
    user.id,
  ])
  const jobs = (await t.startedJobs('open-account')).filter(({ user_id }) => user_id === user.id)
  const found = rows.map((row) => row.account_type)
  assert.deepEqual([found, history.length, events.length, jobs.length], [types, ...Array(3).fill(types.length)])
}

describe('POST /v1/users/{user_id}/accounts', () => {
  it('201 for the platform: a pending account, its job, history and event', async () => {
    const { platform, user } = await scene()
    const response = await open(user, platform.token, { account_type: 'HSA' })
    assert.equal(response.status, 201)
    const { id, created_at, last_modified_at, ...rest } = response.body
    assert.match(id, /^acc_[0-9a-z]+$/)
    assert.equal(last_modified_at, created_at)
    const account_details = { ifsc_code: null, account_type: 'HSA' }
    assert.deepEqual(rest, { external_account_id: null, holder: `user:${user.id}`, account_details })

    const address = `/v1/users/${user.id}/accounts/${id}`
    assert.equal(response.headers['location'], address)
    assert.deepEqual(await t.made('GET', address, { token: platform.token }), response.body)
    const [change] = await t.sql('select from_status, to_status, actor from user_status_changes where entity_id = $1', [
      id,
    ])
    assert.deepEqual(change, { from_status: null, to_status: 'PENDING', actor: `platform:${platform.id}` })
    const [event] = await t.sql('select type, platform_id, data from events where subject = $1', [id])
    const data = { user_id: user.id, account_id: id, from: null, to: 'PENDING' }
    assert.deepEqual(event, { type: 'account.status_changed', platform_id: platform.id, data })
    const jobs = (await t.startedJobs('open-account')).filter(({ account_id }) => account_id === id)
    assert.deepEqual(jobs, [data])
    await assertOpened(user, ['HSA', 'SAVINGS'])
  })

  it('201 for the user, one of each type', async () => {
    const { user } = await scene()
    for (const account_type of ['HSA', 'EDUCATION', 'SPONSOR']) {
      assert.equal((await open(user, user.token, { account_type })).status, 201)
    }
    await assertOpened(user, ['EDUCATION', 'HSA', 'SAVINGS', 'SPONSOR'])
  })

  it('201 again once the account of this type is inactive', async () => {
    const { platform, user } = await scene()
    const { body } = await open(user, platform.token, { account_type: 'HSA' })
    await setStatus(user, body.id, 'INACTIVE')
    const again = await open(user, platform.token, { account_type: 'HSA' })
    assert.equal(again.status, 201)
    assert.notEqual(again.body.id, body.id)
  })

  it('409 conflict when the user has an account of this type', async () => {
    const { platform, user } = await scene()
    const refused = await open(user, platform.token, { account_type: 'SAVINGS' })
    const [savings] = await t.sql<{ account_id: string }>('select account_id from accounts where user_id = $1', [
      user.id,
    ])
    assert.equal(conflictOf(refused), `already_exists ${savings?.account_id}`)
    await assertOpened(user, ['SAVINGS'])
  })

  it('409 conflict before onboarding, since no bank account can feed it yet', async () => {
    const platform = await t.platform()
    const user = await t.user(platform)
    const refused = await open(user, platform.token, { account_type: 'HSA' })
    assert.equal(conflictOf(refused), 'incomplete')
    await assertOpened(user, [])
  })

  it('409 for all but one of 20 concurrent identical calls: one account, one job', async () => {
    const { platform, user } = await scene()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => open(user, platform.token, { account_type: 'EDUCATION' })),
    )
    const [made, ...others] = responses.filter((response) => response.status !== 409)
    assert.deepEqual([made?.status, others], [201, []])
    await assertOpened(user, ['EDUCATION', 'SAVINGS'])
  })

  it('401 without a token, 403 for administrators and benefit providers', async () => {
    const { user } = await scene()
    assert.equal((await open(user, undefined, { account_type: 'HSA' })).status, 401)
    for (const token of [t.viewer, t.operator, t.owner, (await t.provider()).token]) {
      assert.equal((await open(user, token, { account_type: 'HSA' })).status, 403)
    }
    await assertOpened(user, ['SAVINGS'])
  })

  it('404 for another platform’s user as for a missing one, whatever the body', async () => {
    const { platform, user } = await scene()
    for (const { token } of [await t.platform(), await t.user(platform)]) {
      for (const body of [{ account_type: 'HSA' }, {}]) {
        assertSameNotFound(await open(user, token, body), await open({ id: '099999999999' }, token, body))
      }
    }
    await assertOpened(user, ['SAVINGS'])
  })

  it('422 for a type that is missing, unknown or not a string', async () => {
    const { platform, user } = await scene()
    assert.deepEqual(errorsOf(await open(user, platform.token, {})), ['/account_type required'])
    assert.deepEqual(errorsOf(await open(user, platform.token, { account_type: 'hsa' })), ['/account_type not_allowed'])
    assert.deepEqual(errorsOf(await open(user, platform.token, { account_type: 5 })), ['/account_type type'])
    assert.deepEqual(errorsOf(await open({ id: '5' }, platform.token, {})), ['path:user_id format'])
    await assertOpened(user, ['SAVINGS'])
  })
})
