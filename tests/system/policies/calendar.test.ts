import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { recountCalendar, runCalendar } from '../../../src/domains/cover/policies/index.ts'
import type { PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import type { Database, Queryable } from '../../../src/kernel/db/database.ts'
import { openTestApp, PLAN } from '../../support/app.ts'
import { meetBehind } from '../../support/meeting.ts'
import { REQUEST_OF_CHANGE } from '../../support/reasons.ts'

const t = await openTestApp({ own: true })

/** Cover from 1 April 2026 on ends on 31 March 2027. */
const PREMIUM = { start_date: '2026-04-01', end_date: '2027-03-31' }

afterEach(async () => {
  t.clock.at = undefined
  await t.sql('update insurance_policies set next_move_on = null') // no test affects the policies of another
})

/** Sets the clock to noon of a day in India. */
const on = (day: string) => void (t.clock.at = new Date(`${day}T12:00:00+05:30`))

const run = () => runCalendar(t.deps)

/** Runs the calendar once on each of these days. */
async function runOn(...days: string[]): Promise<void> {
  for (const day of days) {
    on(day)
    await run()
  }
}

/** A policy after enrolment; the plan has a window of 30 and a grace of 30 days by default. */
async function enrolled(plan: object = {}, input: object = {}) {
  const { platform, provider, benefit } = await t.offer([{ ...PLAN, ...plan }])
  const user = await t.onboardedUser(platform)
  const id = await t.policy(platform, user, benefit, { start_date: PREMIUM.start_date, ...input })
  return { platform, provider, benefit, user, id, address: `/v1/users/${user.id}/insurance_policies/${id}` }
}
type Scene = Awaited<ReturnType<typeof enrolled>>

/** A token of an owner on the clock's day. */
const ownerToday = () => t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'test-calendar' }).token

/** Changes the status of a policy on the clock's day, as an owner. */
async function transition({ address }: Scene, ...path: PolicyStatus[]): Promise<void> {
  const token = ownerToday()
  for (const status of path) await t.made('PUT', `${address}/status`, { token, body: { status, reason: 'a reason' } })
}

async function issued(plan: object = {}, input: object = {}): Promise<Scene> {
  const at = await enrolled(plan, input)
  on(PREMIUM.start_date)
  await transition(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
  return at
}

type Row = { status: PolicyStatus; start_date: string; end_date: string; next_move_on: string | null }

async function rowOf({ id }: Scene): Promise<Row> {
  const [row] = await t.sql<Row>(
    `select *, start_date::text, end_date::text, next_move_on::text, grace_until::text
       from insurance_policies where policy_id = $1`,
    [id],
  )
  assert.ok(row)
  return row
}

const statusOf = async (at: Scene) => (await rowOf(at)).status

/** The calendar's transitions in order; history and events must agree. */
async function transitionsOf({ id, user }: Scene): Promise<string[]> {
  const history = await t.sql<{ transition: string; actor: string; request_id: string }>(
    `select from_status || ' → ' || to_status as transition, actor, ${REQUEST_OF_CHANGE}
       from user_status_changes h where user_id = $1 and entity_id = $2 and from_status is not null order by at, change_id`,
    [user.id, id],
  )
  const events = await t.sql<{ transition: string }>(
    `select data ->> 'from' || ' → ' || (data ->> 'to') as transition
       from events where subject = $1 and data ->> 'from' is not null order by occurred_at, event_id`,
    [id],
  )
  const reported = history.map((row) => row.transition)
  assert.deepEqual(
    events.map((row) => row.transition),
    reported,
  )
  const byCalendar = history.filter((row) => row.actor === 'system:policy-calendar')
  for (const { request_id } of byCalendar) assert.match(request_id, /^(job|req)_/) // by itself, or with somebody’s request
  return byCalendar.map((row) => row.transition)
}

const WINDOW = 'ISSUED → REQUIRES_CUSTOMER_RENEWAL'
const GRACE = 'REQUIRES_CUSTOMER_RENEWAL → REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'
const OVER = 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE → EXPIRED'

describe('the calendar of policies', () => {
  for (const [renewal_window_days, opens] of [
    [undefined, '2027-03-01'],
    [45, '2027-02-14'],
    [0, '2027-03-31'],
  ] as const) {
    it(`opens a window of ${renewal_window_days ?? 'the usual 30'} days when ${opens} begins in India`, async () => {
      const at = await issued({ renewal_window_days })
      t.clock.at = new Date(new Date(`${opens}T00:00:00+05:30`).getTime() - 1)
      assert.equal(await run(), 0)
      assert.equal(await statusOf(at), 'ISSUED')
      t.clock.at = new Date(`${opens}T00:00:00+05:30`)
      assert.equal(await run(), 1)
      const { status, start_date, end_date } = await rowOf(at)
      assert.deepEqual({ status, start_date, end_date }, { status: 'REQUIRES_CUSTOMER_RENEWAL', ...PREMIUM })
      assert.deepEqual(await transitionsOf(at), [WINDOW])
    })
  }

  it('expires a policy that ends when the day after it begins in India: no window and no grace before it', async () => {
    const at = await issued()
    on('2026-08-01')
    await t.made('PUT', `${at.address}/end`, { token: ownerToday(), body: { on: '2027-03-20', code: 'LEFT' } })
    await runOn('2027-03-01')
    t.clock.at = new Date(new Date('2027-03-21T00:00:00+05:30').getTime() - 1)
    assert.equal(await run(), 0)
    assert.equal(await statusOf(at), 'ISSUED')
    t.clock.at = new Date('2027-03-21T00:00:00+05:30')
    assert.equal(await run(), 1)
    const { status, end_date, next_move_on } = await rowOf(at)
    assert.deepEqual([status, end_date, next_move_on], ['EXPIRED', '2027-03-31', null], 'the term stays as it was')
    const shown = await t.made('GET', at.address, { token: ownerToday() })
    assert.equal(shown.end_date, '2027-03-20')
    assert.deepEqual(await transitionsOf(at), ['ISSUED → EXPIRED'])
  })

  it('a correction of the member of a policy that ends keeps the day; so does one that is counted again', async () => {
    const at = await issued()
    on('2026-08-01')
    const token = ownerToday()
    await t.made('PUT', `${at.address}/end`, { token, body: { on: '2026-08-12', code: 'LEFT' } })
    await t.made('PATCH', `/v1/users/${at.user.id}`, { token, body: { first_name: 'Aasha' } })
    assert.deepEqual([await statusOf(at), (await rowOf(at)).next_move_on], ['REQUIRES_POLICY_REISSUANCE', '2026-08-13'])
    await t.sql(`update insurance_policies set next_move_on = '2027-05-01' where policy_id = $1`, [at.id])
    await recountCalendar(t.deps)
    assert.equal((await rowOf(at)).next_move_on, '2026-08-13')
    await runOn('2026-08-13')
    assert.equal(await statusOf(at), 'EXPIRED')
  })

  it('starts grace when the last day has passed and expires the policy when grace is over', async () => {
    const at = await issued()
    const seen: [string, PolicyStatus][] = []
    for (const day of ['2027-03-01', '2027-03-31', '2027-04-01', '2027-04-30', '2027-05-01']) {
      await runOn(day)
      seen.push([day, await statusOf(at)])
    }
    assert.deepEqual(seen, [
      ['2027-03-01', 'REQUIRES_CUSTOMER_RENEWAL'],
      ['2027-03-31', 'REQUIRES_CUSTOMER_RENEWAL'],
      ['2027-04-01', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'],
      ['2027-04-30', 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE'],
      ['2027-05-01', 'EXPIRED'],
    ])
    assert.deepEqual(await transitionsOf(at), [WINDOW, GRACE, OVER])
    assert.equal((await rowOf(at)).next_move_on, null)
  })

  it('expires a policy of a plan without grace when its last day has passed', async () => {
    const at = await issued({ grace_days: 0 })
    await runOn('2027-03-01', '2027-03-31')
    assert.equal(await statusOf(at), 'REQUIRES_CUSTOMER_RENEWAL')
    await runOn('2027-04-01')
    assert.deepEqual(await transitionsOf(at), [WINDOW, 'REQUIRES_CUSTOMER_RENEWAL → EXPIRED'])
  })

  it('counts the grace of a missed instalment from that day, whatever the window', async () => {
    const [unpaid, paid] = [await issued(), await issued()]
    for (const at of [unpaid, paid]) {
      on('2027-02-10')
      await transition(at, 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
    }
    await runOn('2027-03-11')
    const { token } = t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'test-calendar' })
    await t.made('PUT', `${paid.address}/status`, { token, body: { status: 'ISSUED' } })
    assert.equal(await statusOf(unpaid), 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
    await runOn('2027-03-13')
    assert.deepEqual(await transitionsOf(unpaid), [OVER])
    // The window has opened meanwhile; the dates are the old ones.
    assert.deepEqual(await transitionsOf(paid), [WINDOW])
    assert.equal((await rowOf(paid)).end_date, PREMIUM.end_date)
  })

  it('keeps a policy that waits to be issued again, in every status, until grace after the end is over', async () => {
    const paths: PolicyStatus[][] = [[], ['VERIFICATION'], ['VERIFICATION', 'PENDING'], ['VERIFICATION', 'APPROVED']]
    const asked: Scene[] = []
    for (const path of paths) {
      const at = await issued()
      on('2026-06-01')
      await transition(at, 'REQUIRES_POLICY_REISSUANCE', ...path)
      asked.push(at)
    }
    const back = await issued()
    on('2026-06-01')
    await transition(back, 'EXPIRED')
    on('2028-01-15') // the next term, 2027-04-01 to 2028-03-31, has begun
    await transition(back, 'REQUIRES_POLICY_REISSUANCE')
    await runOn('2027-03-31', '2027-04-30')
    for (const at of asked) assert.deepEqual(await transitionsOf(at), [])
    await runOn('2027-05-01')
    const ends = paths.map((path) => [`${path.at(-1) ?? 'REQUIRES_POLICY_REISSUANCE'} → EXPIRED`])
    assert.deepEqual(await Promise.all(asked.map(transitionsOf)), ends)

    await runOn('2028-04-30')
    assert.equal(await statusOf(back), 'REQUIRES_POLICY_REISSUANCE')
    await runOn('2028-05-01')
    assert.deepEqual(await transitionsOf(back), ['REQUIRES_POLICY_REISSUANCE → EXPIRED'])
  })

  it('starts over with the next term after a renewal, in the window and in grace, year after year', async () => {
    const at = await issued({}, { start_date: '2027-03-01' }) // to 2028-02-29
    await runOn('2028-01-30')
    await transition(at, 'REQUIRES_POLICY_REISSUANCE', 'ISSUED')
    assert.deepEqual(
      { ...(await rowOf(at)), id: at.id },
      {
        ...(await rowOf(at)),
        id: at.id,
        status: 'ISSUED',
        start_date: '2028-03-01',
        end_date: '2029-02-28',
        next_move_on: '2029-01-29',
      },
    )
    await runOn('2029-01-28')
    assert.equal(await statusOf(at), 'ISSUED')
    await runOn('2029-01-29', '2029-03-01', '2029-03-30')
    assert.equal(await statusOf(at), 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE')
    await transition(at, 'ISSUED')
    const { start_date, end_date, next_move_on } = await rowOf(at)
    assert.deepEqual([start_date, end_date, next_move_on], ['2029-03-01', '2030-02-28', '2030-01-29'])
    await runOn('2030-01-29')
    assert.deepEqual(await transitionsOf(at), [WINDOW, WINDOW, GRACE, WINDOW])
  })
})

describe('the calendar of policies: late, early and unrelated policies', () => {
  it('makes all transitions of a late policy in one run and in order, and none twice', async () => {
    const scenes = [await issued(), await issued({ grace_days: 0 }), await issued()]
    on('2030-01-01')
    assert.equal(await run(), 8)
    assert.equal(await run(), 0)
    const transitions = await Promise.all(scenes.map(transitionsOf))
    assert.deepEqual(transitions, [
      [WINDOW, GRACE, OVER],
      [WINDOW, 'REQUIRES_CUSTOMER_RENEWAL → EXPIRED'],
      [WINDOW, GRACE, OVER],
    ])
  })

  it('changes only the state, and reveals no personal data', async () => {
    const questionnaire = { questions: [{ question: 'Do you smoke?', answer: false }] }
    const at = await enrolled({}, { questionnaire })
    on(PREMIUM.start_date)
    const { token } = t.deps.tokens.issueToAdministrator({ role: 'owner', subject: 'test-calendar' })
    const body = { status: 'VERIFICATION', external_policy_id: 'SG-1', provider_metadata: { tpa: 'Example' } }
    await t.made('PUT', `${at.address}/status`, { token, body })
    await transition(at, 'APPROVED', 'ISSUED')
    const record = () => t.made('GET', at.address, { token: at.platform.token })
    t.clock.at = undefined
    const { last_modified_at: _, ...before } = await record()
    await runOn('2027-03-01')
    t.clock.at = undefined
    const { last_modified_at: __, ...after } = await record()
    assert.deepEqual(after, before)
    const [event] = await t.sql('select data from events where subject = $1 order by event_id desc limit 1', [at.id])
    const ids = { user_id: at.user.id, insurance_policy_id: at.id, benefit_provider_id: at.provider.id }
    const data = { ...ids, from: 'ISSUED', to: 'REQUIRES_CUSTOMER_RENEWAL' }
    assert.deepEqual(event, { data })
  })

  it('costs one statement and writes nothing when nothing is due', async () => {
    const at = await issued()
    on('2027-02-28')
    const [before, asked] = [await rowOf(at), [] as string[]]
    const watched = (to: Queryable): Queryable['query'] => {
      return async (step, values) => (asked.push(step.name), to.query(step, values))
    }
    const db: Database = {
      ...t.db,
      query: watched(t.db),
    }
    assert.equal(await runCalendar({ ...t.deps, db }), 0)
    assert.deepEqual(asked, ['insurance_policies_has_due'])
    assert.deepEqual([await rowOf(at), await transitionsOf(at)], [before, []])
  })

  it('never changes a policy that is not in force', async () => {
    const paths: PolicyStatus[][] = [
      [],
      ['VERIFICATION'],
      ['VERIFICATION', 'APPROVED'],
      ['REJECTED'],
      ['VERIFICATION', 'APPROVED', 'ISSUED', 'EXPIRED'],
    ]
    const scenes: Scene[] = []
    for (const path of paths) {
      const at = await enrolled()
      on(PREMIUM.start_date)
      await transition(at, ...path)
      t.clock.at = undefined
      scenes.push(at)
    }
    const before = await Promise.all(scenes.map(rowOf))
    on('2999-12-31')
    assert.equal(await run(), 0)
    assert.deepEqual(await Promise.all(scenes.map(rowOf)), before)
    assert.deepEqual((await Promise.all(scenes.map(transitionsOf))).flat(), [])
  })
})

describe('the calendar of policies: several workers, and errors', () => {
  it('makes each transition once when several workers are concurrent, because each believes that it leads', async () => {
    const scenes = [await issued(), await issued(), await issued()]
    on('2030-01-01')
    const changed = await Promise.all([run(), run(), run()])
    assert.equal(
      changed.reduce((sum, count) => sum + count),
      9,
    )
    for (const at of scenes) assert.deepEqual(await transitionsOf(at), [WINDOW, GRACE, OVER])
  })

  it('skips a policy that is renewed while it waits', async () => {
    const at = await issued()
    await runOn('2027-03-01')
    on('2027-04-01')
    const renew = `update insurance_policies
          set status = 'ISSUED', end_date = '2028-03-31', next_move_on = '2028-03-01', revision = revision + 1
        where policy_id = $1`
    const [changed] = await meetBehind(t, { work: [[renew, [at.id]]], outcome: 'commit', waiting: 1 }, [run])
    assert.equal(changed, 0)
    assert.deepEqual([await statusOf(at), await transitionsOf(at)], ['ISSUED', [WINDOW]])
  })

  it('changes all others when some cannot be changed, reports the error, and changes those once it is fixed', async () => {
    const scenes: Scene[] = []
    while (scenes.length < 10) scenes.push(await issued())
    const [broken, sound] = [scenes.slice(0, 5), scenes.slice(5)]
    const ids = broken.map(({ user }) => user.id)
    await t.sql(`update users set data_key = 'm0.' || data_key where user_id = any ($1)`, [ids])
    // Those that fail are the most overdue and come first.
    await t.sql(`update insurance_policies set next_move_on = '2026-01-01' where user_id = any ($1)`, [ids])
    on('2027-03-01')
    await assert.rejects(run, /master key/)
    for (const at of sound) assert.deepEqual(await transitionsOf(at), [WINDOW])
    for (const at of broken) assert.deepEqual([await statusOf(at), await transitionsOf(at)], ['ISSUED', []])

    await t.sql(`update users set data_key = substr(data_key, 4) where user_id = any ($1)`, [ids])
    assert.equal(await run(), 5)
    for (const at of broken) assert.deepEqual(await transitionsOf(at), [WINDOW])
  })

  it('stops when asked to', async () => {
    const at = await issued()
    on('2027-03-01')
    assert.equal(await runCalendar(t.deps, AbortSignal.abort()), 0)
    assert.equal(await statusOf(at), 'ISSUED')
  })

  for (const table of ['events', 'user_status_changes']) {
    it(`changes nothing when ${table} cannot be written`, async (test) => {
      const at = await issued()
      const before = await rowOf(at)
      await t.sql(`alter table ${table} add constraint full_up check (false) not valid`)
      test.after(() => t.sql(`alter table ${table} drop constraint if exists full_up`))
      on('2027-03-01')
      await assert.rejects(run, /full_up/)
      assert.deepEqual([await rowOf(at), await transitionsOf(at)], [before, []])
      await t.sql(`alter table ${table} drop constraint full_up`)
      assert.equal(await run(), 1)
      assert.deepEqual(await transitionsOf(at), [WINDOW])
    })
  }
})
