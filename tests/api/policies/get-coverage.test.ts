import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import type { PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { openTestApp, PLAN, type TestUser } from '../../support/app.ts'
import { assertSameNotFound, errorsOf } from '../../support/problems.ts'

const t = await openTestApp()

afterEach(() => {
  t.calendar.at = undefined
  t.clock.at = undefined
})

/** Sets the calendar to noon of a day in India. */
const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

const DAYS = { renewal_window_days: 30, grace_period_days: 30 }
/** An application from 1 April 2026 with the child Ravi; Mira, his sister, is registered too. */
async function enrolled(more = {}) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider, [{ ...PLAN, ...DAYS, ...more }])
  const user = await t.onboardedUser(platform)
  const [ravi = '', mira = ''] = await t.dependants({ ...user, token: platform.token }, ['Ravi', 'Mira'])
  on('2026-04-01')
  const id = await t.policy(platform, user, benefit, { dependant_ids: [ravi] })
  return { platform, provider, benefit, user, ravi, mira, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
}
type Scene = Awaited<ReturnType<typeof enrolled>>

async function issued(more = {}): Promise<Scene> {
  const at = await enrolled(more)
  await set(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
  return at
}

async function set({ address, provider }: Scene, ...path: PolicyStatus[]): Promise<void> {
  for (const status of path)
    await t.made('PUT', `${address}/status`, { token: provider.token, body: { status, reason: 'a reason' } })
}

const read = ({ id }: TestUser, query: string, token: string) =>
  t.call('GET', `/v1/users/${id}/coverage${query}`, { token })

type Row = Record<'person' | 'id' | 'reason' | 'policy_id', string> & {
  covered: boolean | null
  from: string | null
  to: string | null
}

async function rows(at: Scene, query: string, token = at.platform.token): Promise<Row[]> {
  const { status, body, text } = await read(at.user, query, token)
  assert.equal(status, 200, text)
  return body.data
}

/** The coverage of a day, `covered reason from to` for the user, Ravi and Mira. */
async function coverageOf(at: Scene, day: string): Promise<string[]> {
  const data = await rows(at, `?on=${day}`)
  assert.deepEqual(
    data.map(({ person, policy_id }) => [person, policy_id]),
    ['member', 'dependant', 'dependant'].map((person) => [person, at.id]),
  )
  return data.map(({ covered, reason, from, to }) => `${covered} ${reason} ${from} ${to}`)
}

const put = ({ address, platform }: Scene, person: string, body: object) =>
  t.made('PUT', `${address}/members/${person}`, { token: platform.token, body })

async function decideAll({ provider, id }: Scene, body: object): Promise<void> {
  const { data } = await t.made('GET', '/v1/endorsements?state=REQUESTED', { token: provider.token })
  for (const one of data.filter(({ insurance_policy_id: policy }: { insurance_policy_id: string }) => policy === id))
    await t.made('PUT', `/v1/endorsements/${one.id}/state`, { token: provider.token, body })
}

const YEAR = '2026-04-01 2027-03-31'
const IN_FORCE = `true in_force ${YEAR}`
const NOT_NAMED = 'false not_named null null'

describe('GET /v1/users/{user_id}/coverage', () => {
  it('200 for the user and each dependant, to everyone who may: without any name', async () => {
    const at = await issued()
    for (const token of [at.platform.token, at.user.token, t.viewer, t.owner]) {
      const { body, text } = await read(at.user, '', token)
      assert.equal(body.on, '2026-04-01')
      const of = (id: string, person: string) => ({ person, id, policy_id: at.id, benefit_provider_id: at.provider.id })
      const days = { covered: true, reason: 'in_force', from: '2026-04-01', to: '2027-03-31' }
      assert.deepEqual(body.data, [
        { ...of(at.user.id, 'member'), ...days },
        { ...of(at.ravi, 'dependant'), ...days },
        { ...of(at.mira, 'dependant'), covered: false, reason: 'not_named', from: null, to: null },
      ])
      assert.doesNotMatch(text, /Asha|Ravi|Mira|Example|2015/)
    }
  })

  it('200 of one dependant by any version, also on a policy that has ended and follows none', async () => {
    const at = await issued()
    const path = `/v1/users/${at.user.id}/dependants`
    const token = at.platform.token
    const second = await t.made('PATCH', `${path}/${at.ravi}`, { token, body: { first_name: 'Ravindra' } })
    on('2029-01-01')
    await runCalendar(t.deps)
    const third = await t.made('PATCH', `${path}/${second.id}`, { token, body: { first_name: 'Ravinder' } })
    for (const version of [at.ravi, second.id, third.id]) {
      const [row, ...others] = await rows(at, `?on=2026-08-01&dependant_id=${version}`)
      assert.deepEqual([row?.id, row?.reason, others], [third.id, 'in_force', []])
    }
    assert.deepEqual(await coverageOf(at, '2027-05-01'), [
      'false expired 2026-04-01 2027-04-30',
      'false expired 2026-04-01 2027-04-30',
      NOT_NAMED,
    ])
  })

  it('200 before the first issue nobody is covered, on any day', async () => {
    const at = await enrolled()
    const awaited = `false awaiting_issue ${YEAR}`
    for (const day of ['2026-04-01', '2027-06-01'])
      assert.deepEqual(await coverageOf(at, day), [awaited, awaited, NOT_NAMED])
    await set(at, 'VERIFICATION', 'REJECTED')
    const rejected = 'false expired null null'
    assert.deepEqual(await coverageOf(at, '2026-04-01'), [rejected, rejected, NOT_NAMED])
  })

  it('200 a policy has not started before its first day, and nothing is known of days before it was enrolled', async () => {
    const at = await issued()
    on('2026-03-20')
    assert.deepEqual((await coverageOf(at, '2026-03-20'))[0], `false not_started ${YEAR}`)
    assert.deepEqual((await coverageOf(at, '2026-03-31'))[1], `false not_started ${YEAR}`)
    for (const row of await rows(at, '?on=2026-03-19')) assert.deepEqual([row.covered, row.reason], [null, 'unknown'])
    assert.deepEqual(await coverageOf(at, '2026-04-01'), [IN_FORCE, IN_FORCE, NOT_NAMED])
  })

  it('200 in grace what the plan says, and after it expired, also ahead and before the calendar runs', async () => {
    const [full, none] = [await issued(), await issued({ grace_cover: 'NONE' })]
    for (const today of ['2026-04-01', '2027-09-01']) {
      on(today)
      for (const [at, covered, last] of [
        [full, true, '2027-04-30'],
        [none, false, '2027-03-31'],
      ] as const) {
        assert.deepEqual((await coverageOf(at, '2027-03-31'))[0], IN_FORCE)
        for (const day of ['2027-04-01', '2027-04-30'])
          assert.deepEqual((await coverageOf(at, day))[0], `${covered} in_grace 2026-04-01 2027-04-30`)
        assert.deepEqual((await coverageOf(at, '2027-05-01'))[0], `false expired 2026-04-01 ${last}`)
      }
    }
  })

  it('200 a join covers from its day once it is accepted, never before; who leaves is not covered after the last day', async () => {
    const at = await issued()
    on('2026-06-01')
    await put(at, at.mira, { from: '2026-06-10' })
    assert.equal((await coverageOf(at, '2026-06-10'))[2], NOT_NAMED)
    await decideAll(at, { state: 'ACCEPTED' })
    assert.equal((await coverageOf(at, '2026-06-09'))[2], 'false not_started 2026-06-10 2027-03-31')
    assert.equal((await coverageOf(at, '2026-06-10'))[2], 'true in_force 2026-06-10 2027-03-31')
    await put(at, at.ravi, { to: '2026-06-12' })
    assert.deepEqual(await coverageOf(at, '2026-06-12'), [
      IN_FORCE,
      'true in_force 2026-04-01 2026-06-12',
      'true in_force 2026-06-10 2027-03-31',
    ])
    assert.equal((await coverageOf(at, '2026-06-13'))[1], 'false expired 2026-04-01 2026-06-12')
  })

  it('200 a refused join is not named', async () => {
    const at = await issued()
    await put(at, at.mira, { from: '2026-04-02' })
    await decideAll(at, { state: 'REFUSED', reason: 'Too old' })
    assert.deepEqual(await coverageOf(at, '2026-04-02'), [IN_FORCE, IN_FORCE, NOT_NAMED])
  })

  it('200 an end that is set covers to that day, and nobody who joins later', async () => {
    const at = await issued()
    await put(at, at.mira, { from: '2026-06-10' })
    await decideAll(at, { state: 'ACCEPTED' })
    await t.made('PUT', `${at.address}/end`, { token: at.platform.token, body: { on: '2026-06-05', code: 'LEFT' } })
    assert.deepEqual((await coverageOf(at, '2026-06-05'))[0], 'true in_force 2026-04-01 2026-06-05')
    assert.deepEqual(await coverageOf(at, '2026-06-06'), [
      'false expired 2026-04-01 2026-06-05',
      'false expired 2026-04-01 2026-06-05',
      'false expired null null',
    ])
    await t.made('DELETE', `${at.address}/end`, { token: at.platform.token })
    assert.deepEqual((await coverageOf(at, '2026-06-06'))[0], IN_FORCE)
  })

  it('200 two policies are two rows, the newer one first; a benefit provider sees its own, and who is on it', async () => {
    const at = await issued()
    const other = await t.provider()
    const benefit = await t.benefit(at.platform, other, [PLAN])
    const second = await t.policy(at.platform, at.user, benefit, { dependant_ids: [at.mira] })
    const of = async (token: string, query = '') =>
      (await rows(at, query, token)).map(({ id, policy_id, reason }) => [id, policy_id, reason])
    const ids = [at.user.id, at.ravi, at.mira]
    const reasons = ['awaiting_issue', 'in_force', 'not_named', 'in_force', 'awaiting_issue', 'not_named']
    assert.deepEqual(
      await of(at.platform.token),
      reasons.map((reason, index) => [ids[Math.floor(index / 2)], [second, at.id][index % 2], reason]),
    )
    assert.deepEqual(await of(at.provider.token), [
      [at.user.id, at.id, 'in_force'],
      [at.ravi, at.id, 'in_force'],
    ])
    assert.deepEqual(await of(other.token), [
      [at.user.id, second, 'awaiting_issue'],
      [at.mira, second, 'awaiting_issue'],
    ])
    const missing = await read(at.user, '?dependant_id=dep_missing', other.token)
    assertSameNotFound(await read(at.user, `?dependant_id=${at.ravi}`, other.token), missing)
  })

  it('200 nothing of a user without a policy', async () => {
    const user = await t.onboardedUser(await t.platform())
    assert.deepEqual((await read(user, '', user.token)).body.data, [])
  })

  it('404 outside the caller’s scope, 401 without a token, 422 for what is no day', async () => {
    const at = await issued()
    const missing = await read({ ...at.user, id: '000000000000' }, '', at.platform.token)
    const others = [await t.platform(), await t.provider(), await t.onboardedUser(at.platform)]
    for (const { token } of others) assertSameNotFound(await read(at.user, '', token), missing)
    const unknown = await read(at.user, '?dependant_id=dep_missing', at.platform.token)
    assertSameNotFound(unknown, missing)
    assert.equal((await t.call('GET', `/v1/users/${at.user.id}/coverage`, {})).status, 401)
    assert.deepEqual(errorsOf(await read(at.user, '?on=2026-02-30', at.platform.token)).length, 1)
  })
})

describe('the days of a policy that somebody ended', () => {
  /** Sets clock and calendar; tokens are made for that time. */
  function at(day: string): string {
    on(day)
    t.clock.at = new Date(`${day}T12:00:00+05:30`)
    return t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'test-coverage' }).token
  }
  const setAs = ({ address }: Scene, token: string, status: PolicyStatus) =>
    t.made('PUT', `${address}/status`, { token, body: { status, reason: 'a reason' } })

  async function ofUser({ user }: Scene, day: string, token: string): Promise<string> {
    const [{ covered, reason, from, to }] = (await read(user, `?on=${day}`, token)).body.data
    return `${covered} ${reason} ${from} ${to}`
  }

  it('200 end with the day before, also where an end was set for later, or the policy had ended and returned before', async () => {
    const scene = await issued()
    const body = { on: '2026-12-31', code: 'LEFT' }
    await t.made('PUT', `${scene.address}/end`, { token: at('2026-05-01'), body })
    const owner = at('2026-08-12')
    await setAs(scene, owner, 'EXPIRED')
    assert.equal(await ofUser(scene, '2026-08-11', owner), 'true in_force 2026-04-01 2026-08-11')
    for (const day of ['2026-08-12', '2026-12-31'])
      assert.equal(await ofUser(scene, day, owner), 'false expired 2026-04-01 2026-08-11')
    const terms = async (token: string) => (await t.made('GET', `${scene.address}/terms`, { token })).data[0].ended_on
    assert.equal(await terms(owner), '2026-08-11')
    await setAs(scene, owner, 'REQUIRES_POLICY_REISSUANCE')
    assert.equal(await ofUser(scene, '2026-08-12', owner), IN_FORCE)
    const later = at('2027-09-01')
    await runCalendar(t.deps)
    assert.equal(await ofUser(scene, '2027-04-30', later), 'true in_grace 2026-04-01 2027-04-30')
    assert.equal(await terms(later), null, 'the calendar ended it this time')
  })

  it('200 with the grace of a missed instalment, by the calendar; one that is paid covers the days of that grace', async () => {
    const [missed, paid] = [await issued({ grace_cover: 'NONE' }), await issued({ grace_cover: 'NONE' })]
    const owner = at('2026-07-01')
    for (const one of [missed, paid]) await setAs(one, owner, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
    for (const [day, expected] of [
      ['2026-06-30', 'true in_force 2026-04-01 2026-06-30'],
      ['2026-07-01', 'false in_grace 2026-04-01 2026-07-31'],
      ['2026-07-31', 'false in_grace 2026-04-01 2026-07-31'],
      ['2026-08-01', 'false expired 2026-04-01 2026-06-30'],
    ] as const) {
      assert.equal(await ofUser(missed, day, owner), expected)
    }
    await setAs(paid, owner, 'ISSUED')
    assert.equal(await ofUser(paid, '2026-07-01', owner), IN_FORCE)
    const later = at('2026-11-01')
    await runCalendar(t.deps)
    assert.equal(await ofUser(missed, '2026-07-15', later), 'false in_grace 2026-04-01 2026-07-31')
    assert.equal(await ofUser(missed, '2026-08-01', later), 'false expired 2026-04-01 2026-06-30')
    assert.equal(await ofUser(paid, '2026-08-01', later), IN_FORCE)
    const { data } = await t.made('GET', `${missed.address}/terms`, { token: later })
    assert.equal(data[0].ended_on, '2026-07-31')
  })

  it('200 before its first day cover nobody, and were never to start', async () => {
    const scene = await issued()
    const owner = at('2026-03-20')
    await setAs(scene, owner, 'EXPIRED')
    for (const day of ['2026-03-20', '2026-04-01', '2027-01-01'])
      assert.equal(await ofUser(scene, day, owner), 'false expired null null')
  })
})
