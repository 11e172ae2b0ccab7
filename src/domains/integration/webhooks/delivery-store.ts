import type { Clock } from '../../../kernel/clock.ts'
import {
  columns,
  integer,
  json,
  nullable,
  oneOf,
  type RecordOf,
  text,
  texts,
  time,
} from '../../../kernel/db/columns.ts'
import { foundRow, onlyRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { listText } from '../../../kernel/db/list-text.ts'
import { namedStatement } from '../../../kernel/db/named-statement.ts'
import { decodePage, type Page, type Paged } from '../../../kernel/db/page.ts'
import { purge } from '../../../kernel/db/purge.ts'
import { firstIdAt } from '../../../kernel/id.ts'
import type { PostFailure } from '../../../kernel/outbound/post-outside.ts'
import {
  EVENT_RETENTION_DAYS,
  EVENT_TYPES,
  type EventType,
  recordedWrite,
  STORED_EVENT,
} from '../../../record/index.ts'
import type { Owner, OwnerKind } from './owner-of.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from './states.ts'
import { IS_USED } from './store.ts'

/** How many of the last attempts are stored. */
const ATTEMPTS_MAX = 20
/** Deliveries are kept as long as events. */
const RETENTION_MS = EVENT_RETENTION_DAYS * 86_400_000
/** An event's id may be created a little before or after its recorded time. */
const SKEW_MS = 60_000

export type Attempt = {
  /** The start, in Unix milliseconds. */
  at_ms: number
  duration_ms: number
  status: number | null
  failure: PostFailure | null
  /** The first KiB of the response. */
  excerpt: string | null
}

const DELIVERY = columns('d', {
  id: text('event_id'),
  status: oneOf('status', DELIVERY_STATUSES),
  attempts: json<Attempt[]>('attempts'),
  nextAttemptAt: nullable(time('next_attempt_at')),
  createdAt: time('created_at'),
})
const TYPE = columns('e', { eventType: oneOf('type', EVENT_TYPES) })

/** A delivery; its id is that of its event. */
export type Delivery = RecordOf<typeof DELIVERY> & RecordOf<typeof TYPE>

const decodeDelivery = (row: object): Delivery => ({ ...DELIVERY.decode(row), ...TYPE.decode(row) })

const WITH_EVENT = 'webhook_deliveries d join events e on e.event_id = d.event_id'

const LIST = statement(
  'webhook_deliveries_list',
  listText({
    columns: `${DELIVERY.list}, ${TYPE.list}`,
    from: WITH_EVENT,
    where: 'd.endpoint_id = $1 and ($2::text[] is null or d.status = any ($2))',
    order: 'd.event_id desc',
    limit: '$3',
    offset: '$4',
  }),
)

const FIND = statement(
  'webhook_deliveries_find',
  `select ${DELIVERY.list}, ${TYPE.list} from ${WITH_EVENT} where d.endpoint_id = $1 and d.event_id = $2`,
)

type Filter = { endpointId: string; statuses: DeliveryStatus[] | null; page: Page }

export async function findDeliveries(db: Queryable, { endpointId, statuses, page }: Filter): Promise<Paged<Delivery>> {
  const rows = await db.query<{ total: number }>(LIST, [endpointId, statuses, page.limit, page.offset])
  return decodePage(rows, 'event_id', decodeDelivery)
}

/** Returns a delivery. Throws 404 `not_found` when the endpoint has no such delivery. */
export const findDelivery = async (db: Queryable, endpointId: string, id: string): Promise<Delivery> =>
  decodeDelivery(foundRow(await db.query<object>(FIND, [endpointId, id])))

/** Creates a delivery together with its event. */
export const INSERT_DELIVERY = recordedWrite({
  name: 'webhook_deliveries_insert',
  values: { endpointId: text('endpoint_id'), eventId: text('event_id'), at: time('at') },
  insert: 'webhook_deliveries',
  columns: `endpoint_id, event_id, status = 'PENDING', next_attempt_at = :at, created_at = :at`,
})

/** Restarts a delivery, keeping its earlier attempts. */
export const REPEAT_DELIVERY = recordedWrite({
  name: 'webhook_deliveries_repeat',
  values: { endpointId: text('endpoint_id'), eventId: text('event_id'), at: time('at') },
  one: `update webhook_deliveries set status = 'PENDING', tries = 0, next_attempt_at = :at
         where endpoint_id = :endpoint_id and event_id = :event_id
        returning 1 as n`,
  events: false,
})

/** The events of a range. Ids of all processes are dated by the database's clock, so it is also one of the primary key. */
const RANGE = {
  firstId: text('first_id'),
  endId: text('end_id'),
  from: time('from_time'),
  to: time('to_time'),
  types: texts('types'),
  ownerId: text('owner_id'),
}

/** SQL: the event `e` concerns the owner. */
const CONCERNS: Record<OwnerKind, string> = {
  platform: 'e.platform_id = :owner_id',
  provider: 'e.benefit_provider_id = :owner_id',
  administrators: ':owner_id::text is not null',
}

/** Returns the statements for one kind of owner, because one plan could not serve all. */
function statementsOf(kind: OwnerKind) {
  const inRange = `e.event_id >= :first_id and e.event_id < :end_id and e.occurred_at >= :from_time and e.occurred_at < :to_time
    and e.type = any (:types) and ${CONCERNS[kind]}`
  return {
    count: namedStatement(
      `webhook_deliveries_count_of_${kind}`,
      [...Object.values(RANGE).map(({ column }) => column), 'max'],
      `select count(*)::int as count from (select from events e where ${inRange} limit :max) counted`,
    ),
    repeat: recordedWrite({
      name: `webhook_deliveries_repeat_of_${kind}`,
      values: { ...RANGE, endpointId: text('endpoint_id'), at: time('at') },
      one: `started as (
          insert into webhook_deliveries (endpoint_id, event_id, status, next_attempt_at, created_at)
          select :endpoint_id, e.event_id, 'PENDING',
                 :at::timestamptz + row_number() over (order by e.xid, e.event_id) * interval '1 microsecond', :at
            from events e
           where ${inRange}
              on conflict (endpoint_id, event_id) do update
             set status = 'PENDING', tries = 0, next_attempt_at = excluded.next_attempt_at),
        changed as (select 1 as n)`,
      events: false,
    }),
  }
}

const OF_KIND: Record<OwnerKind, ReturnType<typeof statementsOf>> = {
  platform: statementsOf('platform'),
  provider: statementsOf('provider'),
  administrators: statementsOf('administrators'),
}

export type Range = { owner: Owner; types: EventType[]; from: Date; to: Date }

/** In the order of `RANGE`. */
const rangeValues = ({ owner, types, from, to }: Range) => ({
  first_id: firstIdAt('evt', new Date(from.getTime() - SKEW_MS)),
  end_id: firstIdAt('evt', new Date(to.getTime() + SKEW_MS)),
  from_time: from,
  to_time: to,
  types,
  owner_id: owner.id,
})

/** Counts the events of a range, up to a limit. */
export async function countRange(db: Queryable, range: Range, max: number): Promise<number> {
  const values = [...Object.values(rangeValues(range)), max]
  return onlyRow(await db.query<{ count: number }>(OF_KIND[range.owner.kind].count, values)).count
}

/** Returns the write that starts or restarts a delivery of each event of a range, in order. */
export const repeatedRange = (range: Range, { endpointId, at }: { endpointId: string; at: Date }) =>
  OF_KIND[range.owner.kind].repeat.with({ ...rangeValues(range), endpoint_id: endpointId, at })

const BEGIN = statement(
  'webhook_deliveries_begin',
  `insert into webhook_deliveries (endpoint_id, event_id, status, next_attempt_at, created_at)
     select b.endpoint_id, b.event_id, 'PENDING',
            now() - interval '1 millisecond' + b.place * interval '1 microsecond', now()
       from unnest($1::text[], $2::text[], $3::int[]) as b (endpoint_id, event_id, place)
         on conflict do nothing`,
)

export type DeliveryKey = { endpointId: string; eventId: string }

/**
 * Creates deliveries, due at once by the database's clock, in the order of their events; existing ones are unchanged.
 */
export async function beginDeliveries(db: Queryable, deliveries: (DeliveryKey & { place: number })[]): Promise<void> {
  const places = deliveries.map(({ place }) => place)
  await db.query(BEGIN, [...keyColumnsOf(deliveries), places])
}

const keyColumnsOf = (keys: DeliveryKey[]) => [
  keys.map(({ endpointId }) => endpointId),
  keys.map(({ eventId }) => eventId),
]

/** `dueAt` is text, because a `Date` has no microseconds: an outcome is recorded only if it is unchanged. */
const DUE = columns('d', { endpointId: text('endpoint_id'), tries: integer('tries'), dueAt: text('due_at') })
const TRACE = columns('e', { traceparent: nullable(text('traceparent')) })
export type DueDelivery = RecordOf<typeof DUE> & RecordOf<typeof TRACE> & { event: RecordOf<typeof STORED_EVENT> }

/** Due deliveries, oldest first, except those in memory; per endpoint at most its room. */
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
type DueQuery = { at: Date; held: DeliveryKey[]; rooms: Map<string, number>; ofEach: number; inAll: number }

export async function findDueDeliveries(
  db: Queryable,
  { at, held, rooms, ofEach, inAll }: DueQuery,
): Promise<DueDelivery[]> {
  const values = [at, ...keyColumnsOf(held), [...rooms.keys()], [...rooms.values()], ofEach, inAll]
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

/** Returns how many deliveries are due, and for how long the oldest has been. */
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

const LIST_ENDPOINTS = statement(
  'webhook_endpoints_list_to_purge',
  `select endpoint_id, deleted_at is not null as is_deleted, extract(epoch from now())::float8 * 1000 as now_ms
     from webhook_endpoints`,
)

/**
 * One endpoint's, in the order of the primary key: like `purgeStatement`, without a join. `$2` null means all of them. Ids are
 * dated by the process that wrote the event, so the delivery's own time, the database's, must be as old.
 */
const DELETE_OLD = statement(
  'webhook_deliveries_purge',
  `delete from webhook_deliveries
    where endpoint_id = $1 and event_id < coalesce($2, 'evu')
      and ($2 is null or created_at < now() - ${EVENT_RETENTION_DAYS} * interval '1 day')
      and event_id <= coalesce((
            select event_id from webhook_deliveries
             where endpoint_id = $1 and event_id < coalesce($2, 'evu')
             order by event_id offset $3::int - 1 limit 1), 'evu')
   returning 1`,
)

const DELETE_OLD_ENDPOINTS = statement(
  'webhook_endpoints_purge',
  `delete from webhook_endpoints w
    where w.deleted_at is not null
      and not exists (select from webhook_deliveries d where d.endpoint_id = w.endpoint_id)`,
)

/** Deletes deliveries of events that are not kept any more, and the remains of deleted endpoints. */
export async function deleteOldDeliveries(db: Queryable): Promise<void> {
  const endpoints = await db.query<{ endpoint_id: string; is_deleted: boolean; now_ms: number }>(LIST_ENDPOINTS)
  for (const { endpoint_id, is_deleted, now_ms } of endpoints) {
    const oldest = firstIdAt('evt', new Date(Math.floor(now_ms) - RETENTION_MS))
    await purge(db, DELETE_OLD, [endpoint_id, is_deleted ? null : oldest])
  }
  await db.query(DELETE_OLD_ENDPOINTS)
}
