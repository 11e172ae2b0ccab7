import {
  columns,
  flag,
  json,
  nullable,
  oneOf,
  type RecordOf,
  type RowWith,
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
import { EVENT_RETENTION_DAYS, EVENT_TYPES, type EventType, recordedWrite } from '../../../record/index.ts'
import type { Owner, OwnerKind } from './owner-of.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from './states.ts'

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
  single: `update webhook_deliveries set status = 'PENDING', tries = 0, next_attempt_at = :at
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
  endpointId: text('endpoint_id'),
  /** Only those whose delivery to the endpoint has failed. */
  isFailed: flag('is_failed'),
}

const RANGE_NAMES = Object.values(RANGE).map(({ column }) => column)

/** For each kind of owner, because one plan could not serve all. `concerns` is SQL: the event `e` is one of theirs. */
function createStatements(kind: OwnerKind, concerns: string) {
  const inRange = `e.event_id >= :first_id and e.event_id < :end_id and e.occurred_at >= :from_time and e.occurred_at < :to_time
    and e.type = any (:types) and ${concerns}
    and (not :is_failed::boolean or exists (
          select from webhook_deliveries d
           where d.endpoint_id = :endpoint_id and d.event_id = e.event_id and d.status = 'FAILED'))`
  return {
    count: namedStatement(
      `webhook_deliveries_count_of_${kind}`,
      [...RANGE_NAMES, 'max'],
      `select count(*)::int as count from (select from events e where ${inRange} limit :max) counted`,
    ),
    repeat: recordedWrite({
      name: `webhook_deliveries_repeat_of_${kind}`,
      values: { ...RANGE, at: time('at') },
      single: `started as (
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

const OF_KIND = {
  platform: createStatements('platform', 'e.platform_id = :owner_id'),
  provider: createStatements('provider', 'e.benefit_provider_id = :owner_id'),
  administrators: createStatements('administrators', ':owner_id::text is not null'),
}

type Range = { endpointId: string; owner: Owner; types: EventType[]; from: Date; to: Date; isFailed: boolean }

const rangeValues = ({ endpointId, owner, types, from, to, isFailed }: Range): RowWith<typeof RANGE> => ({
  first_id: firstIdAt('evt', new Date(from.getTime() - SKEW_MS)),
  end_id: firstIdAt('evt', new Date(to.getTime() + SKEW_MS)),
  from_time: from,
  to_time: to,
  types,
  owner_id: owner.id,
  endpoint_id: endpointId,
  is_failed: isFailed,
})

export async function countRange(db: Queryable, range: Range, max: number): Promise<number> {
  const row = rangeValues(range)
  const values = [...RANGE_NAMES.map((name) => row[name]), max]
  return onlyRow(await db.query<{ count: number }>(OF_KIND[range.owner.kind].count, values)).count
}

/** Returns the write that starts or restarts a delivery of each event of a range, in order. */
export const repeatedRange = (range: Range, at: Date) =>
  OF_KIND[range.owner.kind].repeat.with({ ...rangeValues(range), at })

const LIST_ENDPOINTS = statement(
  'webhook_endpoints_list_to_purge',
  `select endpoint_id, deleted_at is not null as is_deleted, extract(epoch from now())::float8 * 1000 as now_ms
     from webhook_endpoints`,
)

/**
 * One endpoint's, in the order of the primary key: like `createPurge`, without a join. `$2` null means all of them. Ids are
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
