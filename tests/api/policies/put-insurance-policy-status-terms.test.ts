import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import type { PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { type TestResponse, type CallFunction, openTestApp, PLAN } from '../../support/app.ts'
import { meetAt } from '../../support/meeting.ts'
import { conflictOf } from '../../support/problems.ts'

const t = await openTestApp()

afterEach(() => {
  t.calendar.at = undefined
})

/** Sets the clock to noon of a day in India. No calendar runs here, as when every worker is down. */
const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

async function scene(input: object = {}, plan: object = {}) {
  const [platform, provider] = [await t.platform(), await t.provider()]
  const benefit = await t.benefit(platform, provider, [{ ...PLAN, ...plan }])
  const user = await t.onboardedUser(platform)
  const id = await t.policy(platform, user, benefit, input)
  return { platform, provider, benefit, user, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
}
type Scene = Awaited<ReturnType<typeof scene>>

const put = ({ address, provider }: Scene, status: PolicyStatus, token = provider.token) =>
  t.call('PUT', `${address}/status`, { token, body: { status, reason: 'a reason' } })

async function transition(at: Scene, ...path: PolicyStatus[]): Promise<void> {
  for (const status of path) {
    const response = await put(at, status)
    assert.equal(response.status, 200, response.text)
  }
}

async function issued(input: object = {}, plan: object = {}): Promise<Scene> {
  const at = await scene(input, plan)
  on('2026-04-01')
  await transition(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
  return at
}

type Row = {
  status: PolicyStatus
  end_date: string
  next_move_on: string | null
  dependant_ids: string[]
  issue: number
}

async function rowOf({ id }: Scene): Promise<Row> {
  const [row] = await t.sql<Row>(
    'select *, end_date::text, next_move_on::text from insurance_policies where policy_id = $1',
    [id],
  )
  return row ?? assert.fail('the policy is there')
}

async function datesOf({ address, platform }: Scene): Promise<string> {
  const { start_date, end_date } = await t.made('GET', address, { token: platform.token })
  return `${start_date}..${end_date}`
}

/** Every change of the status in order, as history and events show it, with its actor. */
async function transitionsOf({ id }: Scene): Promise<string[]> {
  const history = await t.sql<{ to_status: string; actor: string }>(
    'select to_status, actor from user_status_changes where entity_id = $1 order by at, change_id',
    [id],
  )
  const events = await t.sql<{ to: string }>(
    `select data ->> 'to' as to from events where subject = $1 order by occurred_at, event_id`,
    [id],
  )
  assert.deepEqual(
    events.map(({ to }) => to),
    history.map(({ to_status }) => to_status),
  )
  return history.map(({ to_status, actor }) => `${to_status} ${actor.split(':')[0]}`)
}

describe('PUT …/insurance_policies/{id}/status: terms', () => {
  it('200 monthly terms are counted from the first start: twelve of them are a year, whatever the month', async () => {
    const at = await issued({ start_date: '2027-01-31' }, { term_months: 1 })
    const seen = [await datesOf(at)]
    for (let term = 1; term <= 12; term++) {
      on((await rowOf(at)).end_date)
      await transition(at, 'ISSUED')
      seen.push(await datesOf(at))
    }
    assert.deepEqual(
      [seen.slice(0, 4), seen.at(-1)],
      [
        ['2027-01-31..2027-02-27', '2027-02-28..2027-03-30', '2027-03-31..2027-04-29', '2027-04-30..2027-05-30'],
        '2028-01-31..2028-02-28',
      ],
    )
  })

  it('200 a joiner ends with the group policy, and later terms are counted from the day after it', async () => {
    const at = await issued({ start_date: '2026-04-15', end_date: '2026-07-31' })
    const seen = [await datesOf(at)]
    for (let term = 1; term <= 2; term++) {
      on((await rowOf(at)).end_date)
      await transition(at, 'ISSUED')
      seen.push(await datesOf(at))
    }
    assert.deepEqual(seen, ['2026-04-15..2026-07-31', '2026-08-01..2027-07-31', '2027-08-01..2028-07-31'])
    const monthly = await issued({ start_date: '2026-04-05', end_date: '2026-04-30' }, { term_months: 1 })
    for (const end of ['2026-05-31', '2026-06-30', '2026-07-31']) {
      on((await rowOf(monthly)).end_date)
      await transition(monthly, 'ISSUED')
      assert.equal((await rowOf(monthly)).end_date, end)
    }
  })

  it('200 a first issue in a short term whose window is open, sent again on that day, renews nothing', async () => {
    const at = await scene({ start_date: '2026-07-20', end_date: '2026-07-31' })
    on('2026-07-10')
    await transition(at, 'VERIFICATION', 'APPROVED')
    for (const _ of ['sent', 'sent again']) {
      assert.equal((await put(at, 'ISSUED')).body.status, 'REQUIRES_CUSTOMER_RENEWAL')
      assert.equal(await datesOf(at), '2026-07-20..2026-07-31')
    }
    on('2026-07-11')
    await transition(at, 'ISSUED')
    assert.equal(await datesOf(at), '2026-08-01..2027-07-31')
  })

  it('409 term_over for a first issue after term and grace, unchanged', async () => {
    const at = await scene() // 2026-04-01 to 2027-03-31, grace to 2027-04-30
    on('2027-04-01')
    await transition(at, 'VERIFICATION', 'APPROVED')
    const before = await rowOf(at)
    on('2027-05-01')
    assert.equal(conflictOf(await put(at, 'ISSUED')), 'term_over')
    assert.deepEqual(await rowOf(at), before)
    assert.equal((await transitionsOf(at)).length, 3)
    on('2027-04-30')
    await transition(at, 'ISSUED')
    assert.equal(await datesOf(at), '2026-04-01..2027-03-31')
  })

  it('409 term_over for an owner’s return into a term that is over: enrol again', async () => {
    const at = await issued()
    on('2026-06-01')
    await transition(at, 'EXPIRED')
    const before = await rowOf(at)
    on('2028-05-01') // the next term, 2027-04-01 to 2028-03-31, is over, and so is its grace
    assert.equal(conflictOf(await put(at, 'REQUIRES_POLICY_REISSUANCE', t.owner)), 'term_over')
    assert.deepEqual(await rowOf(at), before)
    assert.deepEqual((await t.call('GET', `${at.address}/status`, { token: t.owner })).body.allowed_transitions, [])
    on('2028-04-30')
    assert.equal((await put(at, 'REQUIRES_POLICY_REISSUANCE', t.owner)).status, 200)
    await transition(at, 'ISSUED')
    assert.equal(await datesOf(at), '2027-04-01..2028-03-31')
  })

  it('200 for starting the next term, however late in its grace', async () => {
    const at = await issued({}, { grace_days: 365 })
    on('2028-03-30')
    await transition(at, 'ISSUED')
    assert.equal(await datesOf(at), '2027-04-01..2028-03-31')
  })
})

describe('PUT …/insurance_policies/{id}/status: two policies of one plan', () => {
  it('409 already_exists when the next term is already enrolled, even in part: nothing changes', async () => {
    for (const start_date of ['2027-04-01', '2027-08-15', '2028-03-31']) {
      const at = await issued()
      const other = await t.policy(at.platform, at.user, at.benefit, { start_date })
      on('2027-03-15')
      for (const to of ['ISSUED', 'REQUIRES_POLICY_REISSUANCE'] as const) {
        const before = [await rowOf(at), await transitionsOf(at)]
        assert.equal(conflictOf(await put(at, to)), `already_exists ${other}`, start_date)
        assert.deepEqual([await rowOf(at), await transitionsOf(at)], before)
      }
      await t.made('PUT', `/v1/users/${at.user.id}/insurance_policies/${other}/status`, {
        token: t.owner,
        body: { status: 'REJECTED' },
      })
      await transition(at, 'ISSUED')
      assert.equal(await datesOf(at), '2027-04-01..2028-03-31')
    }
  })

  it('200 when the other enrolment is for another plan or user, or begins after the next term', async () => {
    const at = await issued()
    await t.policy(at.platform, at.user, at.benefit, { start_date: '2028-04-01' })
    on('2027-03-15')
    await transition(at, 'ISSUED')
    assert.equal(await datesOf(at), '2027-04-01..2028-03-31')
  })

  it('one succeeds when a renewal and an enrolment into its term are concurrent on two nodes', async () => {
    const [one, other] = (await t.openNodes(2)) as [CallFunction, CallFunction]
    for (let round = 0; round < 3; round++) {
      const at = await issued()
      on('2027-03-15')
      const body = { benefit_id: at.benefit, plan_code: PLAN.plan_code, dependant_ids: [], start_date: '2027-06-01' }
      const responses = await meetAt(t, { table: 'users', key: 'user_id', id: at.user.id }, [
        () => one('PUT', `${at.address}/status`, { token: at.provider.token, body: { status: 'ISSUED' } }),
        () => other('POST', `/v1/users/${at.user.id}/insurance_policies`, { token: at.platform.token, body }),
      ])
      const [renewed, enrolled] = responses as [TestResponse, TestResponse]
      const ids = { renewed: enrolled.body.id, enrolled: at.id }
      if (renewed.status === 200) assert.equal(conflictOf(enrolled), `already_exists ${ids.enrolled}`)
      else assert.equal(conflictOf(renewed), `already_exists ${ids.renewed}`)
      const end = renewed.status === 200 ? '2028-03-31' : '2027-03-31'
      assert.equal((await rowOf(at)).end_date, end)
      const all = await t.sql('select 1 from insurance_policies where user_id = $1', [at.user.id])
      assert.equal(all.length, renewed.status === 200 ? 1 : 2)
    }
  })
})

describe('PUT …/insurance_policies/{id}/status: without a running worker', () => {
  it('403 for a policy that should have expired, as for an expired one; the transition is left to the calendar', async () => {
    const at = await issued({}, { grace_days: 0 })
    const before = await rowOf(at)
    on('2027-07-01')
    const refused = await put(at, 'REQUIRES_POLICY_REISSUANCE')
    assert.equal(refused.status, 403)
    const stayed = await put(at, 'ISSUED')
    assert.deepEqual([stayed.status, stayed.body.current_state], [409, 'EXPIRED'])
    assert.deepEqual(await rowOf(at), before)
  })

  it('200 a renewal after the end makes the calendar’s transitions first, each reported once', async () => {
    const at = await issued()
    on('2027-04-10')
    await transition(at, 'ISSUED')
    assert.equal(await datesOf(at), '2027-04-01..2028-03-31')
    assert.deepEqual((await transitionsOf(at)).slice(3), [
      'ISSUED provider',
      'REQUIRES_CUSTOMER_RENEWAL system',
      'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE system',
      'ISSUED provider',
    ])
    const { next_move_on, issue } = await rowOf(at)
    assert.deepEqual([next_move_on, issue], ['2028-03-01', 2])
  })

  it('200 naming the state that the calendar would reach makes its transitions, as the calendar', async () => {
    const at = await issued()
    on('2027-04-10')
    const stored = (await transitionsOf(at)).length
    for (const _ of ['asked', 'asked again']) {
      const response = await put(at, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', t.operator)
      assert.deepEqual([response.status, response.body.status], [200, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'])
      assert.equal((await rowOf(at)).status, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 'what is shown is stored')
      assert.deepEqual((await transitionsOf(at)).slice(stored), [
        'REQUIRES_CUSTOMER_RENEWAL system',
        'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE system',
      ])
    }
  })

  it('200 a late issue makes the calendar’s transitions after it: it returns what is stored', async () => {
    const at = await issued()
    on('2027-02-01')
    await transition(at, 'REQUIRES_POLICY_REISSUANCE')
    on('2027-04-10')
    const response = await put(at, 'ISSUED')
    assert.deepEqual([response.status, response.body.status], [200, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'])
    const { status, issue, next_move_on } = await rowOf(at)
    assert.deepEqual([status, issue, next_move_on], ['REQUIRES_CUSTOMER_RENEWAL_IN_GRACE', 2, '2027-05-01'])
    assert.deepEqual((await transitionsOf(at)).slice(-3), [
      'ISSUED provider',
      'REQUIRES_CUSTOMER_RENEWAL system',
      'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE system',
    ])
  })

  it('200 a late first issue that is repeated after a lost response renews nothing', async () => {
    const at = await scene()
    on('2027-04-01')
    await transition(at, 'VERIFICATION', 'APPROVED')
    on('2027-04-10') // in grace
    const first = await put(at, 'ISSUED')
    const written = [await rowOf(at), await transitionsOf(at)]
    for (const token of [at.provider.token, t.owner]) {
      const again = await put(at, 'ISSUED', token)
      assert.deepEqual([again.status, again.body.status], [200, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'])
      assert.equal(again.headers['etag'], first.headers['etag'])
      assert.deepEqual([await rowOf(at), await transitionsOf(at)], written)
    }
    assert.equal(await datesOf(at), '2026-04-01..2027-03-31')
  })

  it('200 on the day of a late first issue, another number is no repetition: it renews', async () => {
    const at = await scene()
    on('2027-04-10')
    await transition(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
    const body = { status: 'ISSUED', external_policy_id: 'SG-2027-000999' }
    assert.equal((await t.call('PUT', `${at.address}/status`, { token: at.provider.token, body })).status, 200)
    assert.equal(await datesOf(at), '2027-04-01..2028-03-31')
  })

  for (const [how, headers] of [
    ['the version', (etag: string) => ({ 'if-match': etag })],
    ['a key of its own', () => ({ 'idempotency-key': 'renewal-of-the-same-day' })],
  ] as const) {
    it(`200 a renewal on the day of a late first issue, by ${how}`, async () => {
      const at = await scene()
      on('2027-04-10')
      await transition(at, 'VERIFICATION', 'APPROVED')
      const { headers: sent } = await put(at, 'ISSUED')
      const renewed = await t.call('PUT', `${at.address}/status`, {
        token: at.provider.token,
        body: { status: 'ISSUED' },
        headers: headers(String(sent['etag'])),
      })
      assert.deepEqual([renewed.status, renewed.body.status], [200, 'ISSUED'], renewed.text)
      assert.equal(await datesOf(at), '2027-04-01..2028-03-31')
    })
  }

  it('200 a renewal on a later day of grace needs neither', async () => {
    const at = await scene()
    on('2027-04-10')
    await transition(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
    on('2027-04-11')
    await transition(at, 'ISSUED')
    assert.equal(await datesOf(at), '2027-04-01..2028-03-31')
  })

  it('200 a dependant’s correction does not revive a policy that should have expired', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefit = await t.benefit(platform, provider, [{ ...PLAN, grace_days: 0 }])
    const user = await t.onboardedUser(platform)
    const [ravi = ''] = await t.dependants({ ...user, token: platform.token })
    const id = await t.policy(platform, user, benefit, { dependant_ids: [ravi] })
    const at: Scene = {
      platform,
      provider,
      benefit,
      user,
      id,
      address: `/v1/users/${user.id}/insurance_policies/${id}`,
    }
    on('2026-04-01')
    await transition(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
    on('2027-07-01')
    const correction = { token: platform.token, body: { first_name: 'Ravindra' } }
    await t.made('PATCH', `/v1/users/${user.id}/dependants/${ravi}`, correction)
    const { status, dependant_ids } = await rowOf(at)
    assert.deepEqual([status, dependant_ids], ['EXPIRED', [ravi]])
    assert.deepEqual((await transitionsOf(at)).slice(4), ['REQUIRES_CUSTOMER_RENEWAL system', 'EXPIRED system'])
  })
})
