import assert from 'node:assert/strict'
import type pg from 'pg'
import { systemClock, todayIn } from '../src/kernel/clock.ts'
import { addDays, addMonths } from '../src/kernel/date.ts'
import { PLAN } from './catalogue.ts'
import { withClient } from './fill.ts'
import type { BenchContext, Options, Part } from './part.ts'
import { median, target } from './report.ts'
import { type Compared, comparedLine, comparedReport, openSteadyLoad, rest } from './steady-load.ts'
import { until } from './until.ts'

const DUE = 10_000
const SECONDS_MAX = 60
const TIMEOUT_MS = 180_000
/** The renewal window of these policies opened this long ago. */
const DAYS_LATE = 15

/** One worker processes policies whose renewal window has opened, while others list policies. */
export const calendar: Part = {
  name: 'calendar',
  is: '10,000 due policies processed by one worker, and listing policies meanwhile',
  run: (context, options) => withClient(context.stage.config.databaseUrl, (client) => run(client, context, options)),
}

async function run(client: pg.Client, context: BenchContext, { rounds, seconds }: Options): Promise<string> {
  const { stage, say } = context
  const worker = await stage.start('worker')
  const load = await openSteadyLoad(context)
  const policies = await choosePolicies(client)
  const took: number[] = []
  const compared: Compared[] = []
  for (let round = 1; round <= rounds; round++) {
    const atRest = await load.measure(() => rest(seconds))
    const since = await makeDue(client, policies)
    assert.equal(await countDue(client), DUE)
    const meanwhile = await load.measure(() => until(TIMEOUT_MS, async () => (await countDue(client)) === 0))
    took.push(await checkTransitions(client, { policies, since }))
    compared.push({ atRest, meanwhile })
    say(`  round ${round}: processed in ${took.at(-1)?.toFixed(1)} s; ${comparedLine({ atRest, meanwhile })}`)
  }
  await worker.stop()
  const middle = median(took)
  return [
    `${DUE} policies processed in ${middle.toFixed(1)} s, ${(DUE / middle).toFixed(0)} a second`,
    target(`under ${SECONDS_MAX} s`, middle < SECONDS_MAX),
    ...comparedReport(compared),
  ].join('\n')
}

async function choosePolicies(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ policy_id: string }>(
    `select policy_id from insurance_policies where status = 'ISSUED' order by policy_id limit ${DUE}`,
  )
  assert.equal(rows.length, DUE)
  return rows.map(({ policy_id }) => policy_id)
}

/** Sets all policies to a little before the end of their term; returns the time when it started. */
export async function makeDue(client: pg.Client, policies: string[]): Promise<Date> {
  const today = todayIn(systemClock)
  const end = addDays(today, PLAN.renewal_window_days - DAYS_LATE)
  const start = addDays(addMonths(end, -PLAN.term_months), 1)
  const { rows } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  await client.query(
    `update insurance_policies
        set status = 'ISSUED', start_date = $2, end_date = $3, next_move_on = $4
      where policy_id = any ($1)`,
    [policies, start, end, addDays(today, -DAYS_LATE)],
  )
  return rows[0]?.now as Date
}

async function countDue(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ due: number }>(
    'select count(*)::int as due from insurance_policies where next_move_on <= $1',
    [todayIn(systemClock)],
  )
  return Number(rows[0]?.due)
}

/** Checks that each policy changed its status once; returns the seconds from the first to the last. */
async function checkTransitions(
  client: pg.Client,
  { policies, since }: { policies: string[]; since: Date },
): Promise<number> {
  const { rows } = await client.query<{ transitions: number; policies: number; seconds: number }>(
    `select count(*)::int as transitions, count(distinct entity_id)::int as policies,
            extract(epoch from max(at) - min(at))::float8 as seconds
       from user_status_changes
      where entity_id = any ($1) and at > $2`,
    [policies, since],
  )
  assert(rows[0])
  const { seconds, ...counts } = rows[0]
  assert.deepEqual(counts, { transitions: DUE, policies: DUE }, 'each policy changed its status once')
  return seconds
}
