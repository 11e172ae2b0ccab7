import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { recountCalendar, runCalendar, sendNotices } from '../../../src/domains/cover/policies/index.ts'
import { decideNotices, type NoticedPolicy } from '../../../src/domains/cover/policies/decide-notices.ts'
import { listDueNotices } from '../../../src/domains/cover/policies/notice-store.ts'
import { dueTransition, POLICY_STATUSES, type PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { connectDatabase, type Database, madeStatements, type Queryable } from '../../../src/kernel/db/database.ts'
import { openTestApp, PLAN } from '../../support/app.ts'
import { isCluster } from '../../../src/kernel/cluster/cluster.ts'
import { meetBehind } from '../../support/meeting.ts'
import { insertIssuedPolicies } from '../../support/policies-in-bulk.ts'

const t = await openTestApp({ own: true })
const NOTICE_DAYS = { noticeDays: [30, 7, 1] }

afterEach(async () => {
  t.calendar.at = undefined
  await t.sql(`update insurance_policies set next_move_on = null, status = 'REJECTED'`) // no test affects the policies of another
})

/** Sets the sandbox's calendar to noon of a day in India. */
const on = (day: string) => void (t.calendar.at = new Date(`${day}T12:00:00+05:30`))

const send = (db: Database = t.db) => sendNotices({ ...t.deps, db }, NOTICE_DAYS)

/** Does on each of these days what the worker that leads does. */
async function workOn(...days: string[]): Promise<void> {
  for (const day of days) {
    on(day)
    await runCalendar(t.deps)
    await send()
  }
}

type Scene = { id: string; address: string; token: string }

async function setStatus({ address }: Scene, ...path: PolicyStatus[]): Promise<void> {
  for (const status of path)
    await t.made('PUT', `${address}/status`, { token: t.owner, body: { status, reason: 'a reason' } })
}

/** A policy from 2026-04-01 to 2027-03-31, issued on its first day. */
async function issued(): Promise<Scene> {
  const { platform, benefit } = await t.offer([{ ...PLAN, renewal_window_days: 30, grace_days: 30 }])
  const user = await t.onboardedUser(platform)
  on('2026-04-01')
  const id = await t.policy(platform, user, benefit, { start_date: '2026-04-01' })
  const at = { id, address: `/v1/users/${user.id}/insurance_policies/${id}`, token: platform.token }
  await setStatus(at, 'VERIFICATION', 'APPROVED', 'ISSUED')
  return at
}

/** The next term of it, from 2027-04-01 on, is issued on 2027-03-10. */
async function renewedEarly(): Promise<Scene> {
  const at = await issued()
  await workOn('2027-03-10')
  await setStatus(at, 'ISSUED')
  return at
}

/** The notices of a policy, in order. */
const noticesOf = async ({ id }: Scene) =>
  (
    await t.sql<{ notice: string }>(
      `select type || ' ' || coalesce(data ->> 'days_left', data ->> 'start_date') as notice from events
        where subject = $1 and type in ('policy.renewal_due', 'policy.term_started') order by occurred_at, event_id`,
      [id],
    )
  ).map(({ notice }) => notice)

const due = (days: number) => `policy.renewal_due ${days}`
const STARTED = 'policy.term_started 2027-04-01'

async function rowOf({ id }: Scene) {
  const [row] = await t.sql<{ revision: number; notices_from: string | null }>(
    'select revision, notices_from::text from insurance_policies where policy_id = $1',
    [id],
  )
  assert.ok(row)
  return row
}

const ROWS = 3_000
let made: Promise<string[]> | undefined
/** The ids of many issued policies, which the tests share. */
const bulk = () =>
  (made ??= (async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefitId = await t.benefit(platform, provider)
    const catalogue = { vault: t.deps.vault, platformId: platform.id, benefitId, benefitProviderId: provider.id }
    const terms = { start_date: '2026-04-01', renewal_window_days: 30, grace_days: 30 }
    const policies = await insertIssuedPolicies(
      t.sql,
      catalogue,
      Array.from({ length: ROWS }, () => terms),
    )
    return policies.map(({ id }) => id)
  })())

describe('the notices of policies: workers', () => {
  it('are sent once by several at the same time, because each believes that it leads', async () => {
    const renewed = await renewedEarly()
    const soon = await issued()
    const others = [1, 2].map(() =>
      connectDatabase({ url: t.appUrl, poolSize: 2, batching: false, onLostConnection: () => {} }),
    )
    try {
      for (const day of ['2027-03-01', '2027-03-24', '2027-03-30']) {
        on(day)
        await runCalendar(t.deps)
        await Promise.all([send(), ...others.map(send), send()])
      }
      assert.deepEqual(await noticesOf(soon), [due(30), due(7), due(1)])
      on('2027-04-01')
      await runCalendar(t.deps)
      await Promise.all([send(), ...others.map(send), send()])
      assert.deepEqual((await noticesOf(renewed)).slice(-1), [STARTED])
      assert.equal((await noticesOf(renewed)).filter((one) => one === STARTED).length, 1)
    } finally {
      for (const db of others) await db.close()
    }
  })

  it('of a policy that is renewed, or is to end, while they wait are not sent; nor does the worker undo the renewal', async () => {
    for (const [set, from] of [
      [
        `status = 'ISSUED', start_date = '2027-04-01', end_date = '2028-03-31', notices_from = '2027-04-01'`,
        '2027-04-01',
      ],
      [`ends_on = '2027-03-31'`, null],
    ] as const) {
      const at = await issued()
      on('2027-03-24')
      await runCalendar(t.deps)
      const change = `update insurance_policies set ${set}, revision = revision + 1 where policy_id = $1`
      await meetBehind(t, { work: [[change, [at.id]]], outcome: 'commit', waiting: 1 }, [() => send()])
      assert.deepEqual([await noticesOf(at), (await rowOf(at)).notices_from], [[], from])
    }
  })

  it('are no new version of the policy: its ETag stays', async () => {
    const at = await issued()
    on('2027-03-24')
    await runCalendar(t.deps)
    const before = await t.call('GET', at.address, { token: at.token })
    const { revision } = await rowOf(at)
    await send()
    assert.deepEqual(await noticesOf(at), [due(7)])
    assert.equal((await rowOf(at)).revision, revision)
    assert.equal((await t.call('GET', at.address, { token: at.token })).headers['etag'], before.headers['etag'])
  })

  it('of one policy that cannot be written hold up no other, and are sent once it can', async (test) => {
    const [broken, sound] = [await issued(), await issued()]
    on('2027-03-24')
    await runCalendar(t.deps)
    await t.sql(`alter table events add constraint not_this check (subject <> '${broken.id}') not valid`)
    test.after(() => t.sql('alter table events drop constraint if exists not_this'))
    await assert.rejects(send, /not_this/)
    assert.deepEqual([await noticesOf(broken), await noticesOf(sound)], [[], [due(7)]])
    await t.sql('alter table events drop constraint not_this')
    await send()
    assert.deepEqual([await noticesOf(broken), await noticesOf(sound)], [[due(7)], [due(7)]])
  })

  it('stop when asked to', async () => {
    const at = await issued()
    on('2027-03-24')
    await runCalendar(t.deps)
    assert.equal(await sendNotices(t.deps, NOTICE_DAYS, AbortSignal.abort()), 0)
    assert.deepEqual(await noticesOf(at), [])
  })

  it('cost one statement when none is due, and one lookup in an index among many policies', async () => {
    await t.sql(`update insurance_policies set status = 'ISSUED' where policy_id = any ($1)`, [await bulk()])
    await t.sql('analyze insurance_policies')
    on('2026-09-01')
    const asked: string[] = []
    const watched: Queryable['query'] = async (step, values) => (asked.push(step.name), t.db.query(step, values))
    assert.equal(await send({ ...t.db, query: watched }), 0)
    assert.deepEqual(asked, ['insurance_policies_has_notices'])
    if (await isCluster(t.db)) return
    const [list] = await t.sql<{ entries: number }>(
      `select pg_relation_size('insurance_policies_notices') / 8192 as entries`,
    )
    assert.ok(Number(list?.entries) <= 2, 'a policy in its first year has no entry')
    for (const name of ['insurance_policies_has_notices', 'insurance_policies_list_notices']) {
      const { text = '' } = madeStatements().find((one) => one.name === name) ?? {}
      const plan = await t.sql<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`)
      const lines = plan.map((line) => line['QUERY PLAN']).join('\n')
      assert.match(lines, /insurance_policies_notices/, name)
      assert.doesNotMatch(lines, /Seq Scan/, name)
    }
  })
})

describe('the notices of policies: the statement and the decision', () => {
  const TODAY = '2027-03-20'
  /** A day from 45 days before today on. */
  const anyDay = (days: number) => `date '${TODAY}' - 45 + (random() * ${days})::int`

  it('agree on which policies have one', async () => {
    const ids = await bulk()
    await t.sql(
      `update insurance_policies
          set status = ($2::text[])[1 + floor(random() * cardinality($2::text[]))::int],
              start_date = ${anyDay(60)}, end_date = '${TODAY}'::date + 20 + (random() * 40)::int,
              covered_from = case when random() < 0.1 then null when random() < 0.3 then start_date else ${anyDay(60)} end,
              begins_cover = random() < 0.2, renewal_window_days = (random() * 40)::int,
              grace_until = case when random() < 0.5 then ${anyDay(120)} end,
              ends_on = case when random() < 0.4 then ${anyDay(90)} end,
              notices_from = case when random() < 0.8 then ${anyDay(100)} end
        where policy_id = any ($1)`,
      [ids, POLICY_STATUSES],
    )
    const rows = await t.sql<NoticedPolicy>(
      `select policy_id as id, user_id as "userId", platform_id as "platformId", benefit_provider_id as "benefitProviderId", status,
              start_date::text as "startDate", end_date::text as "endDate", covered_from::text as "coveredFrom",
              renewal_window_days as "renewalWindowDays", grace_days as "graceDays", grace_until::text as "graceUntil", issue,
              ends_on::text as "endsOn", begins_cover as "beginsCover", notices_from::text as "noticesFrom"
         from insurance_policies where policy_id = any ($1)`,
      [ids],
    )
    const listed = new Set((await listDueNotices(t.db, { today: TODAY, without: [], limit: ROWS })).map(({ id }) => id))
    const seen = { listed: 0, decided: 0 }
    for (const policy of rows) {
      const isDecided = decideNotices(policy, { ...NOTICE_DAYS, today: TODAY }) !== undefined
      const isListed = listed.has(policy.id)
      if (isDecided) assert.ok(isListed, JSON.stringify(policy))
      if (isListed) assert.ok(isDecided || dueTransition(policy, TODAY) !== undefined, JSON.stringify(policy))
      seen.decided += Number(isDecided)
      seen.listed += Number(isListed)
    }
    assert.ok(seen.decided > 100 && seen.listed < ROWS / 2, JSON.stringify(seen))
  })
})

describe('the notices of policies: clocks', () => {
  it('that were missed in a downtime are not sent in a pile', async () => {
    const at = await issued()
    await workOn('2027-03-01', '2027-03-31')
    assert.deepEqual(await noticesOf(at), [due(30), due(0)])
    await workOn('2027-05-10', '2027-08-01')
    assert.deepEqual(await noticesOf(at), [due(30), due(0)])
  })

  it('are not sent again when the sandbox’s calendar goes back and comes again', async () => {
    const at = await renewedEarly()
    await workOn('2027-04-01', '2026-06-01', '2027-03-24', '2027-04-01', '2027-06-01')
    assert.deepEqual(await noticesOf(at), [due(21), STARTED])
    await workOn('2028-03-24', '2027-04-01', '2028-03-01', '2028-03-24', '2028-03-30')
    assert.deepEqual(await noticesOf(at), [due(21), STARTED, due(7), due(1)])
  })

  it('are of the setting of the day on which they are sent', async () => {
    const at = await issued()
    on('2027-03-10')
    await runCalendar(t.deps)
    await sendNotices(t.deps, { noticeDays: [15] })
    assert.deepEqual(await noticesOf(at), [])
    on('2027-03-16')
    await sendNotices(t.deps, { noticeDays: [15, 2] })
    on('2027-03-29')
    await sendNotices(t.deps, { noticeDays: [15, 2] })
    assert.deepEqual(await noticesOf(at), [due(15), due(2)])
  })
})

describe('the notices of policies that a node of 0.2.0 wrote', () => {
  /** As that version writes: it does not know the column. */
  const former = (at: Scene, set: string) =>
    t.sql(`update insurance_policies set ${set}, revision = revision + 1 where policy_id = $1`, [at.id])
  const RENEWED = `status = 'ISSUED', issue = 2, start_date = '2027-04-01', end_date = '2028-03-31', next_move_on = '2028-03-01'`

  it('are sent of a window that it has opened', async () => {
    const at = await issued()
    await former(at, `status = 'REQUIRES_CUSTOMER_RENEWAL', next_move_on = '2027-04-01'`)
    assert.equal((await rowOf(at)).notices_from, null)
    await workOn('2027-03-24')
    assert.deepEqual(await noticesOf(at), [due(7)])
  })

  it('are sent of a term that it has issued early, whether or not one was sent before', async () => {
    const [reported, silent] = [await issued(), await issued()]
    await former(silent, RENEWED)
    await workOn('2027-03-10')
    assert.deepEqual(await noticesOf(reported), [due(21)])
    await former(reported, RENEWED)
    await workOn('2027-03-24')
    assert.equal(await recountCalendar(t.deps), 1, 'the one that says nothing of it')
    assert.equal(await recountCalendar(t.deps), 0)
    await workOn('2027-03-31')
    assert.deepEqual([await noticesOf(reported), await noticesOf(silent)], [[due(21)], []])
    await workOn('2027-04-01', '2027-04-02')
    assert.deepEqual([await noticesOf(reported), await noticesOf(silent)], [[due(21), STARTED], [STARTED]])
  })

  it('are not sent of terms that began before the upgrade', async () => {
    const at = await issued()
    await former(at, RENEWED)
    on('2027-04-02')
    assert.equal(await recountCalendar(t.deps), 0)
    await workOn('2027-04-02', '2027-12-01')
    assert.deepEqual(await noticesOf(at), [])
    await workOn('2028-03-01')
    assert.deepEqual(await noticesOf(at), [due(30)])
  })
})
