import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { withClient } from './fill.ts'
import type { ModeContext } from './part.ts'
import { openStage } from './stage.ts'
import { table } from '../tools/reference/markdown.ts'

const DAYS = 31
/** Each measurement has a third of the events of the next. */
const STEPS = [9, 3, 1]
/** As many as the program deletes at once. */
const BATCH_SIZE = 5_000

/** One transaction for each event, as in production, and one day after the other: the first is older than 30 days. */
const FILL_DAY = `
  insert into events (event_id, xid, type, platform_id, subject, data, occurred_at)
  select 'evt_' || lpad(i::text, 10, '0') || left(md5(i::text), 16), i::text::xid8, 'user.created', 'plt_' || i % 50,
         'usr_' || md5(i::text), jsonb_build_object('user_id', lpad(i::text, 12, '0'), 'platform_id', 'plt_' || i % 50),
         now() - interval '30 days 23 hours' + interval '30 days 23 hours' * i / $3::int
    from generate_series($1::int, $2::int) i`
const DELETE = `select count(*)::int as count from delete_old_events('{}', '{}', ${BATCH_SIZE})`

type Figures = { events: number; deleteMicros: number; dropMicros: number; vacuumMicros: number; vacuumSeconds: number }

/**
 * Measures what it costs to delete the oldest day of events, to drop it as a table of its own, and to vacuum the rest, with
 * a ninth, a third and all of these events. CPU time is that of the connection's process.
 */
export async function measurePurge({ events }: { events: number }, { closers, say }: ModeContext): Promise<string> {
  const stage = await openStage(closers, { say, serverSettings: { max_wal_size: '4GB' } })
  return withClient(stage.config.migrationDatabaseUrl, async (owner) => {
    await owner.query('alter table events set (autovacuum_enabled = false)')
    const figures: Figures[] = []
    for (const step of STEPS) {
      figures.push(await measureSize(owner, Math.floor(events / step / DAYS)))
      say(`${figures.at(-1)?.events} events measured`)
    }
    return report(figures)
  })
}

async function measureSize(owner: pg.Client, perDay: number): Promise<Figures> {
  const events = perDay * DAYS
  await owner.query('truncate events')
  for (let day = 0; day < DAYS; day++) await owner.query(FILL_DAY, [day * perDay + 1, (day + 1) * perDay, events])
  await owner.query('vacuum (analyze, parallel 0) events')

  await owner.query('create table day_of_events (like events including all)')
  await owner.query(
    `insert into day_of_events (event_id, xid, type, platform_id, subject, data, occurred_at)
     select event_id, xid, type, platform_id, subject, data, occurred_at from events order by xid limit $1`,
    [perDay],
  )
  const dropped = await spentOn(owner, () => owner.query('drop table day_of_events'))

  let deleted = 0
  const deletion = await spentOn(owner, async () => {
    for (let count = -1; count !== 0; deleted += count) {
      const { rows } = await owner.query<{ count: number }>(DELETE)
      count = rows[0]?.count ?? 0
    }
  })
  assert(deleted > perDay / 2, `${deleted} of ${perDay} events of a day were old enough`)
  const vacuum = await spentOn(owner, () => owner.query('vacuum (parallel 0) events'))
  return {
    events,
    deleteMicros: (deletion.cpuSeconds / deleted) * 1e6,
    dropMicros: (dropped.cpuSeconds / perDay) * 1e6,
    vacuumMicros: (vacuum.cpuSeconds / events) * 1e6,
    vacuumSeconds: vacuum.seconds,
  }
}

/** Returns the CPU time of the connection's process and the time that passed. */
async function spentOn(owner: pg.Client, work: () => Promise<unknown>) {
  const { rows } = await owner.query<{ pid: number }>('select pg_backend_pid() as pid')
  // In nanoseconds; the ticks that other measurements use are as long as a deletion of thousands.
  const cpu = () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e9
  const [cpuBefore, before] = [cpu(), performance.now()]
  await work()
  return { cpuSeconds: cpu() - cpuBefore, seconds: (performance.now() - before) / 1_000 }
}

const report = (figures: readonly Figures[]): string =>
  table(
    ['events kept', ...figures.map(({ events }) => events.toLocaleString('en'))],
    [
      ['CPU µs per event deleted', ...figures.map(({ deleteMicros }) => deleteMicros.toFixed(1))],
      ['CPU µs per event of a day dropped as a table', ...figures.map(({ dropMicros }) => dropMicros.toFixed(2))],
      ['CPU µs of a vacuum, per event kept', ...figures.map(({ vacuumMicros }) => vacuumMicros.toFixed(2))],
      ['seconds of a vacuum', ...figures.map(({ vacuumSeconds }) => vacuumSeconds.toFixed(1))],
    ],
  )
