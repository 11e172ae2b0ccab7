import type { Clock } from '../../../kernel/clock.ts'
import { columns, integer, nullable, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { STORED_EVENT } from '../../../record/index.ts'
import type { Attempt } from './delivery-store.ts'
import type { DeliveryStatus } from './states.ts'
import { IS_USED } from './store.ts'

const ATTEMPTS_MAX = 20

const BEGIN = statement(
  'webhook_deliveries_begin',
  `insert into webhook_deliveries (endpoint_id, event_id, status, next_attempt_at, created_at)
     select b.endpoint_id, b.event_id, 'PENDING',
            now() - interval '1 millisecond' + b.place * interval '1 microsecond', now()
       from unnest($1::text[], $2::text[], $3::int[]) as b (endpoint_id, event_id, place)
         on conflict do nothing`,
)

export type DeliveryKey = { endpointId: string; eventId: string }

/** Creates deliveries, due at once by the database's clock, in the order of their events; existing ones stay. */
export async function beginDeliveries(db: Queryable, deliveries: (DeliveryKey & { place: number })[]): Promise<void> {
  const places = deliveries.map(({ place }) => place)
  await db.query(BEGIN, [...toKeyColumns(deliveries), places])
}

const toKeyColumns = (keys: DeliveryKey[]) => [
  keys.map(({ endpointId }) => endpointId),
  keys.map(({ eventId }) => eventId),
]

/** `dueAt` is text, because a `Date` has no microseconds: an outcome is recorded only if it is unchanged. */
const DUE = columns('d', { endpointId: text('endpoint_id'), tries: integer('tries'), dueAt: text('due_at') })
const TRACE = columns('e', { traceparent: nullable(text('traceparent')) })
export type DueDelivery = RecordOf<typeof DUE> & RecordOf<typeof TRACE> & { event: RecordOf<typeof STORED_EVENT> }

/** Due deliveries, oldest first, without those in memory; per endpoint at most its free capacity. */
const FIND_DUE = statement(
  'webhook_deliveries_find_due',
  `select ${DUE.list}, ${TRACE.list}, ${STORED_EVENT.list}
     from webhook_endpoints w
     left join unnest($4::text[], $5::int[]) as r (endpoint_id, room) on r.endpoint_id = w.endpoint_id
    cross join lateral (
          select q.endpoint_id, q.event_id, q.tries, q.next_attempt_at, q.next_attempt_at::text as due_at
            from webhook_deliveries q
           where q.endpoint_id = w.endpoint_id and q.next_attempt_at <= greatest(now(), $1)
             and (q.endpoint_id, q.event_id) not in (
                   select h.endpoint_id, h.event_id from unnest($2::text[], $3::text[]) as h (endpoint_id, event_id))
           order by q.next_attempt_at
           limit coalesce(r.room, $6)) d
     join events e on e.event_id = d.event_id
    where ${IS_USED} and coalesce(r.room, 1) > 0
    order by d.next_attempt_at
    limit $7`,
)

/** The limits: per named endpoint, per other endpoint, and in total; `held` are the deliveries already fetched. */
type DueQuery = { at: Date; inMemory: DeliveryKey[]; rooms: Map<string, number>; ofEach: number; inAll: number }

export async function findDueDeliveries(
  db: Queryable,
  { at, inMemory, rooms, ofEach, inAll }: DueQuery,
): Promise<DueDelivery[]> {
  const values = [at, ...toKeyColumns(inMemory), [...rooms.keys()], [...rooms.values()], ofEach, inAll]
  const rows = await db.query<object>(FIND_DUE, values)
  return rows.map((row) => ({ ...DUE.decode(row), ...TRACE.decode(row), event: STORED_EVENT.decode(row) }))
}

const DUE_COUNTED_MAX = 10_000

const BACKLOG = statement(
  'webhook_deliveries_backlog',
  `select h.endpoints, coalesce(sum(d.due), 0)::int as due,
          coalesce(extract(epoch from $1 - min(d.oldest)), 0)::float8 as lag_s
     from (values ('healthy', false), ('failing', true)) as h (endpoints, is_failing)
     left join webhook_endpoints w on ${IS_USED} and h.is_failing = (w.failing_since is not null)
     left join lateral (
          select count(*) as due, min(q.next_attempt_at) as oldest
            from (select next_attempt_at from webhook_deliveries
                   where endpoint_id = w.endpoint_id and next_attempt_at <= $1
                   order by next_attempt_at
                   limit ${DUE_COUNTED_MAX}) q) d on true
    group by h.endpoints`,
)

export const findBacklog = (db: Queryable, clock: Clock) =>
  db.query<{ endpoints: string; due: number; lag_s: number }>(BACKLOG, [clock.now()])

/** The outcome of an attempt at a delivery that was due at `dueAt`. */
export type Outcome = DeliveryKey & {
  dueAt: string
  status: DeliveryStatus
  tries: number
  nextAttemptAt: Date | null
  attempt: Attempt
}

/**
 * Every replay and every recorded outcome changes when the next attempt is due. What was due at another time belongs to
 * the series before a replay, or to a worker that has lost its leadership: it is listed, and changes nothing else.
 */
const IS_CURRENT = 'd.next_attempt_at = o.due_at'

const RECORD = statement(
  'webhook_deliveries_record',
  `update webhook_deliveries d
      set status = case when ${IS_CURRENT} then o.status else d.status end,
          tries = case when ${IS_CURRENT} then o.tries else d.tries end,
          next_attempt_at = case when ${IS_CURRENT} then o.next_attempt_at else d.next_attempt_at end,
          attempts = (case when jsonb_array_length(d.attempts) < ${ATTEMPTS_MAX} then d.attempts else d.attempts - 0 end)
                     || o.attempt
     from json_to_recordset($1) as o (endpoint_id text, event_id text, due_at timestamptz, status text, tries int,
            next_attempt_at timestamptz, attempt jsonb)
    where d.endpoint_id = o.endpoint_id and d.event_id = o.event_id`,
)

/** Records the outcomes of many attempts. One that is not current any more only adds its attempt. */
export async function recordOutcomes(db: Queryable, outcomes: Outcome[]): Promise<void> {
  const rows = outcomes.map(({ endpointId, eventId, dueAt, nextAttemptAt, ...outcome }) => ({
    ...outcome,
    endpoint_id: endpointId,
    event_id: eventId,
    due_at: dueAt,
    next_attempt_at: nextAttemptAt,
  }))
  await db.query(RECORD, [JSON.stringify(rows)])
}

const SET_FAILING = statement(
  'webhook_endpoints_set_failing',
  'update webhook_endpoints set failing_since = now() where endpoint_id = $1 and failing_since is null',
)

const SET_WORKING = statement(
  'webhook_endpoints_set_working',
  'update webhook_endpoints set failing_since = null where endpoint_id = $1',
)

/** Records that an endpoint fails, from now on by the database's clock, or works again. Not a change of the record. */
export async function recordHealth(db: Queryable, endpointId: string, isWorking: boolean): Promise<void> {
  await db.query(isWorking ? SET_WORKING : SET_FAILING, [endpointId])
}
