import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp } from '../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

const patch = (user: { id: string }, id: string, token: string | undefined, body: unknown, headers = {}) =>
  t.call('PATCH', `/v1/users/${user.id}/dependants/${id}`, { ...(token && { token }), body, headers })

async function scene() {
  const { platform } = await t.offer()
  const user = await t.user(platform)
  const [id = ''] = await t.dependants({ ...user, token: platform.token })
  return { platform, user, id }
}

const read = (user: { id: string }, id: string, token: string) =>
  t.call('GET', `/v1/users/${user.id}/dependants/${id}`, { token })

/** Returns the versions, oldest first, and the number of their events. */
async function versionsOf(user: { id: string }) {
  const rows = await t.sql<{ dependant_id: string; is_superseded: boolean }>(
    `select dependant_id, superseded_at is not null as is_superseded from dependants where user_id = $1
      order by created_at, dependant_id`,
    [user.id],
  )
  const events = await t.sql(`select 1 from events where type like 'dependant%' and data ->> 'user_id' = $1`, [user.id])
  return {
    ids: rows.map((row) => row.dependant_id),
    superseded: rows.map((row) => row.is_superseded),
    events: events.length,
  }
}

describe('PATCH /v1/users/{user_id}/dependants/{dependant_id}', () => {
  it('200 creates a new version that links to the previous one, and emits its event', async () => {
    const { platform, user, id } = await scene()
    const response = await patch(user, id, platform.token, { last_name: 'Corrected' })
    assert.equal(response.status, 200)
    assert.notEqual(response.body.id, id)
    const { date_of_birth, first_name, last_name, previous_version_id, primary_user_id } = response.body
    assert.deepEqual(
      { date_of_birth, first_name, last_name, previous_version_id, primary_user_id },
      {
        date_of_birth: '2015-08-02',
        first_name: 'Ravi',
        last_name: 'Corrected',
        previous_version_id: id,
        primary_user_id: user.id,
      },
    )
    assert.deepEqual(await versionsOf(user), { ids: [id, response.body.id], superseded: [true, false], events: 2 })
    const [event] = await t.sql('select type, platform_id, data from events where subject = $1', [response.body.id])
    const data = { user_id: user.id, dependant_id: response.body.id, previous_version_id: id }
    assert.deepEqual(event, { type: 'dependant.updated', platform_id: platform.id, data })
  })

  it('200 for the user, an operator and an owner, version after version', async () => {
    const { user, id } = await scene()
    let current = id
    for (const [index, token] of [user.token, t.operator, t.owner].entries()) {
      const response = await patch(user, current, token, { first_name: `Ravi ${index}`, date_of_birth: '2015-08-03' })
      assert.deepEqual([response.status, response.body.previous_version_id], [200, current])
      current = response.body.id
    }
    assert.deepEqual((await versionsOf(user)).superseded, [true, true, true, false])
  })

  it('200 as a merge patch as well; unknown members are ignored', async () => {
    const { platform, user, id } = await scene()
    const headers = { 'content-type': 'application/merge-patch+json' }
    const response = await patch(user, id, platform.token, { first_name: 'रवि', nickname: 'R' }, headers)
    assert.deepEqual([response.status, response.body.first_name], [200, 'रवि'])
  })

  it('200 with the unchanged record when nothing changes: no version, no event, no new issue', async () => {
    const { platform, user, id } = await scene()
    const benefit = await t.benefit(platform, await t.provider())
    const policy = await t.policy(platform, user, benefit, { dependant_ids: [id] })
    await t.sql(`update insurance_policies set status = 'ISSUED' where policy_id = $1`, [policy])
    const stored = () => t.sql('select * from insurance_policies where policy_id = $1', [policy])
    const [before, policyBefore, record] = [
      await versionsOf(user),
      await stored(),
      await read(user, id, platform.token),
    ]
    const whole = { date_of_birth: '2015-08-02', first_name: 'Ravi', last_name: 'Example' }
    for (const body of [{ last_name: 'Example' }, whole, { ...whole, nickname: 'not known' }]) {
      const response = await patch(user, id, platform.token, body)
      assert.deepEqual([response.status, response.body], [200, record.body])
      assert.equal(response.headers['etag'], record.headers['etag'])
    }
    const stale = await patch(user, id, platform.token, whole, { 'if-match': '"other"' })
    assert.equal(stale.status, 412)
    assert.deepEqual([await versionsOf(user), await stored()], [before, policyBefore])
  })

  it('200 frees the previous name for registration', async () => {
    const { platform, user, id } = await scene()
    await patch(user, id, platform.token, { first_name: 'Other' })
    assert.equal((await t.dependants({ ...user, token: platform.token }, ['Ravi'])).length, 1)
  })

  it('409 conflict for a version that has a newer one', async () => {
    const { platform, user, id } = await scene()
    const { body: second } = await patch(user, id, platform.token, { last_name: 'Corrected' })
    const { body: third } = await patch(user, second.id, platform.token, { last_name: 'Corrected twice' })
    const before = await versionsOf(user)
    const refused = await patch(user, id, platform.token, { last_name: 'Again' })
    assert.equal(conflictOf(refused), `already_exists ${third.id}`)
    assert.deepEqual(await versionsOf(user), before)
  })

  it('409 conflict when it would equal another dependant: the old version stays current', async () => {
    const { platform, user, id } = await scene()
    const [mira] = await t.dependants({ ...user, token: platform.token }, ['Mira'])
    const before = await versionsOf(user)
    const refused = await patch(user, id, platform.token, { first_name: 'Mira' })
    assert.equal(conflictOf(refused), `already_exists ${mira}`)
    assert.deepEqual(await versionsOf(user), before)
  })

  it('409 for all but one of ten concurrent corrections: versions form a single line', async () => {
    const { platform, user, id } = await scene()
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => patch(user, id, platform.token, { first_name: `Ravi ${index}` })),
    )
    const [made, ...others] = responses.filter((response) => response.status !== 409)
    assert.deepEqual([made?.status, others], [200, []])
    assert.deepEqual(await versionsOf(user), { ids: [id, made?.body.id], superseded: [true, false], events: 2 })
  })

  it('412 when If-Match names another version than the stored one, 200 when it names this one', async () => {
    const { platform, user, id } = await scene()
    const etag = String((await read(user, id, platform.token)).headers['etag'])
    const before = await versionsOf(user)
    for (const stale of ['"other"', 'W/"other"']) {
      const refused = await patch(user, id, platform.token, { last_name: 'Corrected' }, { 'if-match': stale })
      assert.deepEqual([refused.status, refused.body.code], [412, 'precondition_failed'])
    }
    assert.deepEqual(await versionsOf(user), before)

    const made = await patch(user, id, platform.token, { last_name: 'Corrected' }, { 'if-match': `"other", ${etag}` })
    assert.equal(made.status, 200)
    const late = await patch(user, id, platform.token, { last_name: 'Late' }, { 'if-match': etag })
    assert.equal(late.status, 412, 'a replaced version is another one')
  })
})

describe('PATCH /v1/users/{user_id}/dependants/{dependant_id}: errors', () => {
  it('401 without a token, 403 for viewers and benefit providers', async () => {
    const { user, id } = await scene()
    const before = await versionsOf(user)
    assert.equal((await patch(user, id, undefined, { last_name: 'Corrected' })).status, 401)
    for (const token of [t.viewer, (await t.provider()).token]) {
      assert.equal((await patch(user, id, token, { last_name: 'Corrected' })).status, 403)
    }
    assert.deepEqual(await versionsOf(user), before)
  })

  it('404 for somebody else’s dependant as for a missing one, whatever the body', async () => {
    const { platform, user, id } = await scene()
    const [neighbour, stranger] = [await t.user(platform), await t.platform()]
    const before = await versionsOf(user)
    for (const body of [{ last_name: 'Corrected' }, {}]) {
      const missing = await patch(user, 'dep_nothing', platform.token, body)
      assertSameNotFound(await patch(neighbour, id, platform.token, body), missing)
      assertSameNotFound(await patch(user, id, stranger.token, body), missing)
      assertSameNotFound(await patch(user, id, neighbour.token, body), missing)
    }
    assert.deepEqual(await versionsOf(user), before)
  })

  it('422 for an empty change and for every error at once', async () => {
    const { platform, user, id } = await scene()
    const before = await versionsOf(user)
    assert.deepEqual(errorsOf(await patch(user, id, platform.token, {})), [' required'])
    assert.deepEqual(errorsOf(await patch(user, id, platform.token, { nickname: 'R' })), [' required'])
    const body = { first_name: null, last_name: '', date_of_birth: '2015-13-01' }
    assert.deepEqual(errorsOf(await patch(user, id, platform.token, body)), [
      '/date_of_birth format',
      '/first_name type',
      '/last_name too_short',
    ])
    assert.deepEqual(await versionsOf(user), before)
  })
})
