import { wireTime } from '../../../kernel/clock.ts'
import { onlyRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { HORIZON } from '../../../kernel/db/log-position.ts'
import { firstIdAt } from '../../../kernel/id.ts'
import { EVERYTHING } from './records.ts'

/** The hours that are kept, the present one among them. */
const HOURS = 24
const HOUR_S = 3_600
/** The hours of India begin at half past those of UTC. */
const HALF_PAST_S = 1_800

/** Maximum number of events read at a time: 4,000 a second, twice a minute; what is behind is caught up later. */
const READ_MAX = 100_000

/** Returns the beginning of the hour in India that a time is in, in Unix seconds. */
const toHour = (at: Date): number => Math.floor((at.getTime() / 1_000 - HALF_PAST_S) / HOUR_S) * HOUR_S + HALF_PAST_S

/** Numbers of events by the beginning of their hour. */
export type EventHours = Record<string, number>
/** The last event that is counted. */
export type EventPosition = { xid: string; id: string }
type Counted = { hours: Map<string, EventHours>; position: EventPosition }

/** Those of one counting: another one at the same time replaces all of them, or none. */
const FIND_COUNTED = statement(
  'statistics_find_events',
  `select s.owner_id as owner, s.counts -> 'events_by_hour' as hours, s.counts -> 'events_counted' as position
     from statistics a
     join statistics s on s.as_of = a.as_of
    where a.owner_id = '${EVERYTHING}' and a.counts -> 'events_counted' is not null`,
)

/** Begins with the first event after an id, or with the next one. */
const FIND_START = statement(
  'statistics_find_first_event',
  `select coalesce((select e.xid from events e where e.event_id >= $1 order by e.event_id limit 1), ${HORIZON})::text as xid`,
)

/** Events between the last one counted, `$1` and `$2`, and the oldest running transaction: each is counted once. */
const COUNT = statement(
  'statistics_events',
  `with read as (
     select r.xid, r.event_id, r.platform_id, r.occurred_at
       from events r
      where (r.xid, r.event_id) > ($1::xid8, $2) and r.xid < ${HORIZON}
      order by r.xid, r.event_id
      limit ${READ_MAX})
   select r.platform_id as owner, count(*)::int as number,
          (floor((extract(epoch from r.occurred_at) - ${HALF_PAST_S}) / ${HOUR_S}) * ${HOUR_S} + ${HALF_PAST_S})::int8::text as hour,
          (select l.xid::text || ' ' || l.event_id from read l order by l.xid desc, l.event_id desc limit 1) as last
     from read r
    group by 1, 3`,
)

/** Returns the hours up to a time, oldest first, also those without events. */
export const everyHour = (hours: EventHours, until: Date): { since: string; events: number }[] =>
  Array.from({ length: HOURS }, (_, index) => {
    const hour = toHour(until) - (HOURS - 1 - index) * HOUR_S
    return { since: wireTime(new Date(hour * 1_000)), events: hours[hour] ?? 0 }
  })

type CountedRow = { owner: string; hours: EventHours | null; position: EventPosition | null }
type Row = { owner: string | null; hour: string; number: number; last: string }

/** Adds the events since the last counting to those of the hours up to now, by owner. */
export async function countEvents(db: Queryable, now: Date): Promise<Counted> {
  const before = await db.query<CountedRow>(FIND_COUNTED)
  const hours = new Map(before.map(({ owner, hours: counts }) => [owner, { ...counts }]))
  const since = toHour(now) - (HOURS - 1) * HOUR_S
  let position = before.find(({ owner }) => owner === EVERYTHING)?.position ?? (await findStart(db, since))
  for (const { owner, hour, number, last } of await db.query<Row>(COUNT, [position.xid, position.id])) {
    for (const of of countedFor(owner)) {
      const counts = hours.get(of) ?? hours.set(of, {}).get(of) ?? {}
      counts[hour] = (counts[hour] ?? 0) + number
    }
    const [xid = '', id = ''] = last.split(' ')
    position = { xid, id }
  }
  for (const [owner, counts] of hours)
    hours.set(owner, Object.fromEntries(Object.entries(counts).filter(([hour]) => Number(hour) >= since)))
  return { hours, position }
}

/** Returns whose counts what belongs to an owner adds to; null for what belongs to nobody. */
export const countedFor = (owner: string | null): string[] => (owner === null ? [EVERYTHING] : [EVERYTHING, owner])

const findStart = async (db: Queryable, since_s: number): Promise<EventPosition> => ({
  ...onlyRow(await db.query<{ xid: string }>(FIND_START, [firstIdAt('evt', new Date(since_s * 1_000))])),
  id: '',
})
