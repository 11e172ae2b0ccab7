import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Deps } from '../../../src/record/index.ts'
import { runCalendar } from '../../../src/domains/cover/policies/index.ts'
import type { PolicyStatus } from '../../../src/domains/cover/policies/states.ts'
import { createVault } from '../../../src/kernel/crypto/vault.ts'
import { isCluster } from '../../../src/kernel/cluster/cluster.ts'
import { type Database, connectDatabase, type Queryable, statement } from '../../../src/kernel/db/database.ts'
import { createLeadership } from '../../../src/kernel/db/leadership.ts'
import { asLeader } from '../../../src/kernel/jobs/periodic.ts'
import { openTestApp } from '../../support/app.ts'
import { type BulkTerms, insertIssuedPolicies } from '../../support/policies-in-bulk.ts'

const POLICIES = 1_000
const DAY_MS = 86_400_000
/** The first window is of a policy that ends on 2026-05-31; the last grace is over on 2027-07-29. */
const MONTHS = Array.from({ length: 16 }, (_, index) =>
  new Date(Date.UTC(2026, 3 + index, 1)).toISOString().slice(0, 10),
)
/** In this month a worker is killed in the middle of its work. */
const FATAL_MONTH = '2026-12-01'
const STEPS_UNTIL_KILLED = 130
const PLANS = [
  { renewal_window_days: 30, grace_days: 30 },
  { renewal_window_days: 30, grace_days: 0 },
  { renewal_window_days: 60, grace_days: 15 },
  { renewal_window_days: 0, grace_days: 60 },
]

const t = await openTestApp({ own: true })

const termsOf = (index: number): BulkTerms => ({
  ...(PLANS[index % PLANS.length] as (typeof PLANS)[number]),
  start_date: new Date(Date.UTC(2025, 5, 1 + (index % 365))).toISOString().slice(0, 10),
})

/** The expected state of a policy, computed a second time and by counting days. */
type Model = BulkTerms & { end: number; status: PolicyStatus; transitions: string[]; renews: boolean }

const numberOf = (day: string) => Date.parse(day) / DAY_MS
const dayOf = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10)
const yearLater = (day: string) => `${Number(day.slice(0, 4)) + 1}${day.slice(4)}`

function modelOf(index: number): Model {
  const terms = termsOf(index)
  const end = numberOf(yearLater(terms.start_date)) - 1
  return { ...terms, end, status: 'ISSUED', transitions: [], renews: index % 5 === 0 }
}

function transitionModel(model: Model, to: PolicyStatus): void {
  model.transitions.push(`${model.status} → ${to}`)
  model.status = to
}

/** All transitions that the calendar must make until the evening of a day. */
function passDay(model: Model, today: number): void {
  const { end, renewal_window_days, grace_days } = model
  if (model.status === 'ISSUED' && today >= end - renewal_window_days)
    transitionModel(model, 'REQUIRES_CUSTOMER_RENEWAL')
  if (model.status === 'REQUIRES_CUSTOMER_RENEWAL' && today > end) {
    transitionModel(model, grace_days > 0 ? 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' : 'EXPIRED')
  }
  if (model.status === 'REQUIRES_CUSTOMER_RENEWAL_IN_GRACE' && today > end + grace_days)
    transitionModel(model, 'EXPIRED')
}

type Policy = { userId: string; id: string; model: Model }

/** Every fifth holder renews as soon as the window opens. */
async function renew(policies: Policy[]): Promise<void> {
  const { token } = t.deps.tokens.issueToAdministrator({ role: 'operator', subject: 'test-year' })
  for (const { userId, id, model } of policies) {
    if (!model.renews || !/RENEWAL/.test(model.status)) continue
    const address = `/v1/users/${userId}/insurance_policies/${id}/status`
    await t.made('PUT', address, { token, body: { status: 'ISSUED' } })
    transitionModel(model, 'ISSUED')
    model.end = numberOf(yearLater(dayOf(model.end + 1))) - 1
  }
}

/**
 * Asserts that every policy is in its expected state, and history and events have each of its transitions once and in
 * order.
 */
async function assertAsReported(policies: Policy[], day: string): Promise<void> {
  const rows = await t.sql<{ policy_id: string; status: string; end_date: string }>(
    'select policy_id, status, end_date::text from insurance_policies order by policy_id',
  )
  const transitionsIn = (table: string, text: string) =>
    t.sql<{ id: string; transitions: string[] }>(
      `select id, array_agg(transition order by at, seq) as transitions from (${text}) ${table} group by id`,
    )
  const history = await transitionsIn(
    'history',
    `select entity_id as id, from_status || ' → ' || to_status as transition, at, change_id as seq from user_status_changes`,
  )
  const events = await transitionsIn(
    'events',
    `select subject as id, (data ->> 'from') || ' → ' || (data ->> 'to') as transition, occurred_at as at, event_id as seq
       from events where type = 'policy.status_changed'`,
  )
  const expected = policies.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  assert.deepEqual(
    rows,
    expected.map(({ id, model }) => ({ policy_id: id, status: model.status, end_date: dayOf(model.end) })),
    `where the policies are on ${day}`,
  )
  const reported = new Map(
    policies.filter(({ model }) => model.transitions.length > 0).map(({ id, model }) => [id, model.transitions]),
  )
  for (const list of [history, events]) {
    assert.deepEqual(
      new Map(list.map(({ id, transitions }) => [id, transitions])),
      reported,
      `what is written down on ${day}`,
    )
  }
}

async function countTransitions(): Promise<number> {
  const [row] = await t.sql<{ transitions: number }>('select count(*)::int as transitions from user_status_changes')
  return Number(row?.transitions)
}

const LOCK = 1

/** A worker like one of another process: its own connections and keys, and what it leads. */
function createWorker(name: string) {
  const db = connectDatabase({ url: t.appUrl, poolSize: 4, batching: false, onLostConnection: () => {} })
  after(() => db.close())
  const deps: Deps = { ...t.deps, db, vault: createVault(t.keys) }
  const leadership = createLeadership({ url: t.appUrl, channel: 'none', log: t.log })
  after(leadership.close)
  const run = async (using: Database = db): Promise<number> => {
    let changed = 0
    const task = {
      name,
      every_ms: 0,
      lock: LOCK,
      run: async () => void (changed = await runCalendar({ ...deps, db: using })),
    }
    await asLeader(leadership, task).run(new AbortController().signal)
    return changed
  }
  return { deps, run, loseLead: leadership.close }
}

/**
 * A database whose client dies after this many statements: the open transaction is rolled back, later statements fail.
 */
function dyingDatabase(db: Database, steps: number): Database {
  let left = steps
  const whileAlive =
    (to: Queryable): Queryable['query'] =>
    async (step, values) => {
      if (left-- <= 0) throw new Error('killed')
      return to.query(step, values)
    }
  return { ...db, query: whileAlive(db) }
}

describe('a year of 1,000 policies with two workers, one of them killed', () => {
  it('ends with every policy in the right state, and each transition reported once', async () => {
    const [platform, provider] = [await t.platform(), await t.provider()]
    const benefitId = await t.benefit(platform, provider)
    const catalogue = { platformId: platform.id, benefitId, benefitProviderId: provider.id }
    const terms = Array.from({ length: POLICIES }, (_, index) => termsOf(index))
    const made = await insertIssuedPolicies(t.sql, { ...catalogue, vault: t.deps.vault }, terms)
    const policies = made.map((policy, index) => ({ ...policy, model: modelOf(index) }))
    const [one, other] = [createWorker('one'), createWorker('other')]

    for (const day of MONTHS) {
      t.clock.at = new Date(`${day}T12:00:00+05:30`)
      for (const { model } of policies) passDay(model, numberOf(day))
      if (day === FATAL_MONTH) {
        await other.loseLead()
        const before = await countTransitions()
        await assert.rejects(() => one.run(dyingDatabase(one.deps.db, STEPS_UNTIL_KILLED)), /killed/)
        const reported = policies.reduce((count, { model }) => count + model.transitions.length, 0)
        const begun = await countTransitions()
        assert.ok(
          before < begun && begun < reported,
          `it was killed in the middle: ${[before, begun, reported].join(', ')}`,
        )
        assert.equal(await other.run(), 0, 'the connection of the dead worker is still open')
        await one.loseLead()
      }
      while ((await Promise.all([one.run(), other.run()])).some((transitionsIn) => transitionsIn > 0));
      await assertAsReported(policies, day)
      await renew(policies)
    }
    assert.ok(policies.every(({ model }) => model.transitions.length >= 2))
    if (!(await isCluster(t.db))) await assertIndexIsUsed() // by the statistics of one PostgreSQL
  })
})

const RUNS = 20

/** When nothing is due, the calendar probes an index repeatedly, and never scans the table. */
async function assertIndexIsUsed(): Promise<void> {
  const scans = async () => {
    await t.db.query(statement('test_flush', 'select pg_stat_force_next_flush()'))
    const [row] = await t.sql<{ seq: number; index: number }>(
      `select seq_scan::int as seq, idx_scan::int as index from pg_stat_user_tables where relname = 'insurance_policies'`,
    )
    return row ?? { seq: 0, index: 0 }
  }
  await t.sql('analyze insurance_policies')
  const before = await scans()
  for (let round = 0; round < RUNS; round++) assert.equal(await runCalendar(t.deps), 0)
  const after_ = await scans()
  const [through, into] = [after_.seq - before.seq, after_.index - before.index]
  // Work of another connection is counted with a delay, so either may include one or two earlier reads.
  assert(through <= 2 && into >= RUNS, `${through} times through the table, ${into} looks into the index`)
}
