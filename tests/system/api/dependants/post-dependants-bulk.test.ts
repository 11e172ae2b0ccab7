import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestApp, type TestPlatform, type TestUser } from '../../../support/app.ts'
import { assertSameNotFound, conflictOf, errorsOf } from '../../../support/problems.ts'
import { everythingStored } from '../../../support/stored.ts'

const t = await openTestApp()

const RAVI = { date_of_birth: '2015-08-02', first_name: 'Ravi', last_name: 'Example' }

const bulk = (user: { id: string }, token: string | undefined, dependants: unknown) =>
  t.call('POST', `/v1/users/${user.id}/dependants/bulk`, { ...(token && { token }), body: { dependants } })

async function scene(): Promise<{ platform: TestPlatform; user: TestUser }> {
  const platform = await t.platform()
  return { platform, user: await t.user(platform) }
}

const ownerOf = ({ primary_user_id }: { primary_user_id: string }) => primary_user_id

const family = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ...RAVI, first_name: `Ravi ${index}` }))

const eventsOf = (user: TestUser) =>
  t.sql<{ data: { dependant_ids: string[] } }>(
    `select data from events where type = 'dependants.created' and subject = $1`,
    [user.id],
  )

async function assertRegistered(user: TestUser, count: number, events: number): Promise<void> {
  const rows = await t.sql('select 1 from dependants where user_id = $1', [user.id])
  assert.deepEqual({ rows: rows.length, events: (await eventsOf(user)).length }, { rows: count, events })
}

describe('POST /v1/users/{user_id}/dependants/bulk', () => {
  it('201 registers one, with every field, and emits one event without personal data', async () => {
    const { platform, user } = await scene()
    const response = await bulk(user, platform.token, [RAVI])
    assert.equal(response.status, 201)
    const [{ id, created_at, last_modified_at, ...rest }] = response.body.data
    assert.match(id, /^dep_[0-9a-z]+$/)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    assert.equal(last_modified_at, created_at)
    assert.deepEqual(rest, { ...RAVI, primary_user_id: user.id, previous_version_id: null })
    assert.deepEqual(await eventsOf(user), [{ data: { user_id: user.id, dependant_ids: [id] } }])
  })

  it('201 registers 50 in the order sent', async () => {
    const { platform, user } = await scene()
    const sent = family(50).toReversed()
    const response = await bulk(user, platform.token, sent)
    assert.equal(response.status, 201)
    assert.deepEqual(
      response.body.data.map((dependant: typeof RAVI) => dependant.first_name),
      sent.map((dependant) => dependant.first_name),
    )
    assert.equal(new Set(response.body.data.map((dependant: { id: string }) => dependant.id)).size, 50)
    const [event] = await eventsOf(user)
    assert.deepEqual(
      event?.data.dependant_ids,
      response.body.data.map(({ id }: { id: string }) => id),
    )
    await assertRegistered(user, 50, 1)
  })

  it('201 for the user, an operator and an owner', async () => {
    const { user } = await scene()
    for (const [index, token] of [user.token, t.operator, t.owner].entries()) {
      assert.equal((await bulk(user, token, [{ ...RAVI, first_name: `Ravi ${index}` }])).status, 201)
    }
    await assertRegistered(user, 3, 3)
  })

  it('201 two that differ in one field are two; those of another user do not count', async () => {
    const { platform, user } = await scene()
    const twins = [
      RAVI,
      { ...RAVI, first_name: 'ravi' },
      { ...RAVI, date_of_birth: '2015-08-03' },
      { ...RAVI, last_name: 'E' },
    ]
    assert.equal((await bulk(user, platform.token, twins)).status, 201)
    assert.equal((await bulk(await t.user(platform), platform.token, twins)).status, 201)
    await assertRegistered(user, 4, 1)
  })

  it('201 names in any script are kept byte for byte, sealed', async () => {
    const { platform, user } = await scene()
    const names = { first_name: ' रवि 👶🏾 ', last_name: 'e\u0301 é', date_of_birth: '1900-01-01' }
    const clear = { first_name: 'Sealedfirst', last_name: 'Sealedlast', date_of_birth: '1971-11-23' }
    const { body } = await bulk(user, platform.token, [names, clear])
    const { first_name, last_name, date_of_birth } = body.data[0]
    assert.deepEqual({ first_name, last_name, date_of_birth }, names)

    const stored = await everythingStored(t)
    assert.ok(stored.includes(body.data[1].id), 'the right tables were looked at')
    for (const text of Object.values(clear)) assert.ok(!stored.includes(text), `${text} is in the database`)
  })

  it('409 conflict when one is already registered: none of the request is', async () => {
    const { platform, user } = await scene()
    const [ravi] = (await bulk(user, platform.token, [RAVI])).body.data
    const refused = await bulk(user, platform.token, [...family(3), RAVI])
    assert.equal(conflictOf(refused), `already_exists ${ravi.id}`)
    await assertRegistered(user, 1, 1)
  })

  it('409 for all but one of 20 concurrent identical calls: registered once', async () => {
    const { platform, user } = await scene()
    const responses = await Promise.all(Array.from({ length: 20 }, () => bulk(user, platform.token, family(3))))
    const [made, ...others] = responses.filter((response) => response.status !== 409)
    assert.deepEqual([made?.status, others], [201, []])
    await assertRegistered(user, 3, 1)
  })

  it('201 for each of many concurrent users; one rejection affects no other', async () => {
    const platform = await t.platform()
    const users = await Promise.all(Array.from({ length: 24 }, () => t.user(platform)))
    const [known] = users as [TestUser]
    await bulk(known, platform.token, [RAVI])
    const responses = await Promise.all(users.map((user) => bulk(user, platform.token, [RAVI, ...family(2)])))
    for (const [index, user] of users.entries()) {
      const { status, body } = responses[index] ?? assert.fail('each call has a response')
      assert.equal(status, user === known ? 409 : 201)
      await assertRegistered(user, user === known ? 1 : 3, 1)
      if (user !== known) assert.deepEqual(body.data.map(ownerOf), [user.id, user.id, user.id])
    }
  })

  it('409 for one of two concurrent overlapping calls: each is all or nothing', async () => {
    const { platform, user } = await scene()
    const [one, two] = [family(6).slice(0, 4), family(6).slice(2).toReversed()]
    const responses = await Promise.all([bulk(user, platform.token, one), bulk(user, platform.token, two)])
    assert.deepEqual(new Set(responses.map((response) => response.status)), new Set([201, 409]))
    await assertRegistered(user, 4, 1)
  })
})

describe('POST /v1/users/{user_id}/dependants/bulk: errors', () => {
  it('401 without a token, 403 for viewers and benefit providers', async () => {
    const { user } = await scene()
    assert.equal((await bulk(user, undefined, [RAVI])).status, 401)
    for (const token of [t.viewer, (await t.provider()).token])
      assert.equal((await bulk(user, token, [RAVI])).status, 403)
    await assertRegistered(user, 0, 0)
  })

  it('404 for another platform’s user as for a missing one, whatever the body', async () => {
    const { platform, user } = await scene()
    const [stranger, neighbour] = [await t.platform(), await t.user(platform)]
    for (const token of [stranger.token, neighbour.token]) {
      for (const body of [[RAVI], []]) {
        assertSameNotFound(await bulk(user, token, body), await bulk({ id: '099999999999' }, token, body))
      }
    }
    await assertRegistered(user, 0, 0)
  })

  it('422 for none and for 51', async () => {
    const { platform, user } = await scene()
    assert.deepEqual(errorsOf(await bulk(user, platform.token, [])), ['/dependants too_few'])
    assert.deepEqual(errorsOf(await bulk(user, platform.token, family(51))), ['/dependants too_many'])
    assert.deepEqual(errorsOf(await bulk(user, platform.token, undefined)), ['/dependants required'])
    assert.deepEqual(errorsOf(await bulk(user, platform.token, RAVI)), ['/dependants type'])
    await assertRegistered(user, 0, 0)
  })

  it('422 points at every duplicate of an earlier one', async () => {
    const { platform, user } = await scene()
    const reordered = { last_name: 'Example', first_name: 'Ravi', date_of_birth: '2015-08-02', nickname: 'R' }
    const refused = await bulk(user, platform.token, [RAVI, ...family(2), RAVI, reordered])
    assert.deepEqual(errorsOf(refused), ['/dependants/3 duplicate', '/dependants/4 duplicate'])
    await assertRegistered(user, 0, 0)
  })

  it('422 reports every error of every dependant at once; the valid ones are not registered', async () => {
    const { platform, user } = await scene()
    const refused = await bulk(user, platform.token, [
      { ...RAVI, date_of_birth: '2015-02-29' },
      RAVI,
      { first_name: '', last_name: 'x'.repeat(201), date_of_birth: '1899-12-31' },
      {},
      'Ravi',
      { ...RAVI, first_name: null, last_name: 'A\u0000', date_of_birth: '2999-01-01' },
    ])
    assert.deepEqual(errorsOf(refused), [
      '/dependants/0/date_of_birth format',
      '/dependants/2/date_of_birth format',
      '/dependants/2/first_name too_short',
      '/dependants/2/last_name too_long',
      '/dependants/3/date_of_birth required',
      '/dependants/3/first_name required',
      '/dependants/3/last_name required',
      '/dependants/4 type',
      '/dependants/5/date_of_birth format',
      '/dependants/5/first_name type',
      '/dependants/5/last_name unstorable_text',
    ])
    await assertRegistered(user, 0, 0)
  })

  it('422 when the user id does not have 12 digits', async () => {
    const { platform } = await scene()
    assert.deepEqual(errorsOf(await bulk({ id: '1' }, platform.token, [RAVI])), ['path:user_id format'])
  })
})
