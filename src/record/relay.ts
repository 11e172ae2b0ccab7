import { setTimeout as sleep } from 'node:timers/promises'
import { withoutCaller } from '../kernel/current-caller.ts'
import { columns, decoded, json, nullable, oneOf, type RecordOf, text } from '../kernel/db/columns.ts'
import { type Database, onlyRow, type Queryable, statement } from '../kernel/db/database.ts'
import { HORIZON } from '../kernel/db/log-position.ts'
import { purge } from '../kernel/db/purge.ts'
import type { Leadership } from '../kernel/db/leadership.ts'
import { asLeader, startTask } from '../kernel/jobs/periodic.ts'
import type { Log } from '../kernel/log.ts'
import { within } from '../kernel/tracing.ts'
import { EVENT_TYPES, type EventType, findJob, PUBLIC_TYPES, STARTING_TYPES } from './catalogue.ts'
import type { JobName } from './jobs.ts'

/** Notified after events that start jobs were written. */
export const EVENTS_CHANNEL = 'banyan_events'
const LOCK = 7_226_401_378 // one relay at a time; an arbitrary constant
const POLL_INTERVAL_MS = 500
const BATCH_SIZE = 500
/** How many events are remembered behind one long transaction before the relay waits for it to end. */
const REMEMBERED_MAX = 100_000
/** The stored position is at most this many transactions behind, so that readers which start there scan little. */
const UNSTORED_MAX = 10_000n

const NOTIFY = statement('events_notify', `select pg_notify('${EVENTS_CHANNEL}', '')`)

const FIND_HORIZON = statement('events_horizon', `select ${HORIZON}::text as horizon`)

const EVENT = columns('e', {
  id: text('event_id'),
  type: oneOf('type', EVENT_TYPES),
  /** The platform and the benefit provider it concerns; null for none. */
  platformId: nullable(text('platform_id')),
  providerId: nullable(text('benefit_provider_id')),
  data: json<Record<string, unknown>>('data'),
  traceparent: nullable(text('traceparent')),
  position: decoded('xid', BigInt),
})
export type OutboxEvent = RecordOf<typeof EVENT>

/**
 * Events of transactions from the position on, including those that commit late; `horizon` is the oldest one still
 * running.
 */
const PENDING = statement(
  'events_pending',
  `select h.horizon, ${EVENT.list}
     from (select ${HORIZON}::text as horizon) h
     left join lateral (
       select event_id, type, platform_id, benefit_provider_id, data, traceparent, xid::text as xid
         from events
        where xid >= $1::xid8 and type = any ($2) and event_id not in (select unnest($3::text[]))
        order by events.xid, event_id
        limit $4) e on true`,
)

const POSITION = statement('relays_position', 'select position::text as position from relays where relay_name = $1')

const ADVANCE = statement(
  'relays_advance',
  `insert into relays (relay_name, position) values ($1, $2::xid8)
       on conflict (relay_name) do update set position = excluded.position where relays.position < excluded.position`,
)

/** The program may not delete events; the function knows which are old enough, and keeps those not relayed yet. */
const DELETE_OLD = statement('events_purge', 'select event_id from delete_old_events($1, $2, $3) as event_id')

export const deleteOldEvents = (db: Queryable): Promise<void> => purge(db, DELETE_OLD, [STARTING_TYPES, PUBLIC_TYPES])

const LAG_COUNTED_MAX = 10_000

const LAG = statement(
  'relays_lag',
  `select r.relay, coalesce(w.waiting, 0)::int as waiting,
          coalesce(extract(epoch from now() - w.oldest), 0)::float8 as lag_s
     from (values ('jobs', $1::text[]), ('webhooks', $2::text[])) as r (relay, types)
     left join relays p on p.relay_name = r.relay
    cross join lateral (
          select count(*) as waiting, min(e.occurred_at) as oldest
            from (select occurred_at from events
                   where xid >= coalesce(p.position, '0') and type = any (r.types)
                   order by xid, event_id
                   limit ${LAG_COUNTED_MAX}) e) w`,
)

/** Returns how many events each relay has not passed, counted up to some thousands, and the age of the oldest. */
export const findLag = (db: Queryable) =>
  db.query<{ relay: string; waiting: number; lag_s: number }>(LAG, [STARTING_TYPES, PUBLIC_TYPES])

/** A job started by an event. Its id is derived from the event's, so that a repetition is the same job. */
export type StartedJob = {
  job: JobName
  eventId: string
  data: Record<string, unknown>
  /** The trace in which the event was written; undefined without tracing. */
  traceparent: string | undefined
}

type RelaySettings = {
  db: Database
  leadership: Leadership
  log: Log
  /** Queues the jobs; repeated ones change nothing. */
  start: (jobs: StartedJob[]) => Promise<void>
  /** How often it polls without a notification. */
  poll_ms?: number
}

/**
 * Starts the jobs of events: reads the outbox, hands events over, advances its position. Every event is handed over at
 * least once, and none is skipped, however late its transaction commits: the position only passes ended transactions,
 * and events handed over beyond it are remembered. Woken by NOTIFY, and polls twice a second.
 */
export function startRelay({ db, leadership, log, start, poll_ms = POLL_INTERVAL_MS }: RelaySettings) {
  const { handOver, reset } = createOutbox(db)
  const task = { name: 'relay', every_ms: poll_ms, lock: LOCK, run: () => handOver(start), reset }
  const { wake, stop } = startTask(asLeader(leadership, task), log)
  leadership.onMessage(wake)
  return {
    async stop() {
      await stop()
      await leadership.release(LOCK)
    },
  }
}

export function createOutbox(db: Queryable, settings: { rememberedMax?: number } = {}) {
  const reader = createReader(db, { relay: 'jobs', types: STARTING_TYPES, ...settings })
  return {
    ...reader,
    handOver: (start: RelaySettings['start']) =>
      reader.handOver(async (events) => {
        const jobs = events.flatMap(({ id: eventId, type, data, traceparent }) => {
          const job = findJob({ type, data })
          return job === undefined ? [] : [{ job, eventId, data, traceparent: traceparent ?? undefined }]
        })
        if (jobs.length > 0) await start(jobs)
      }),
  }
}

type ReaderSettings = { relay: string; types: readonly EventType[]; rememberedMax?: number }

/** Opens the outbox for one relay, at its own position. */
export function createReader(db: Queryable, { relay, types, rememberedMax = REMEMBERED_MAX }: ReaderSettings) {
  let position: bigint | undefined
  let stored = 0n
  const handedOver = new Map<string, bigint>() // events beyond the position, where earlier ones may still commit

  return {
    /** Hands over pending events; resolves to true when there are more. */
    async handOver(take: (events: OutboxEvent[]) => Promise<void>): Promise<boolean> {
      if (position === undefined) {
        stored = BigInt((await db.query<{ position: string }>(POSITION, [relay]))[0]?.position ?? '0')
        position = stored
      }
      if (handedOver.size >= rememberedMax && (await findHorizon(db)) <= position) return false
      type Row = { horizon: string; event_id: string | null }
      const rows = await db.query<Row>(PENDING, [String(position), types, [...handedOver.keys()], BATCH_SIZE])
      const events = rows.filter(({ event_id }) => event_id !== null).map(EVENT.decode)
      if (events.length > 0) await take(events)
      for (const event of events) handedOver.set(event.id, event.position)

      const isFull = events.length === BATCH_SIZE
      const horizon = BigInt(rows[0]?.horizon ?? 0)
      const relayedTo = isFull ? (events.at(-1)?.position ?? 0n) : horizon
      const next = relayedTo < horizon ? relayedTo : horizon
      if (next > position && (handedOver.size > 0 || next - stored > UNSTORED_MAX)) {
        await db.query(ADVANCE, [relay, String(next)])
        stored = next
      }
      if (next > position) position = next
      for (const [id, xid] of handedOver) if (xid < position) handedOver.delete(id)
      return isFull
    },
    /** Rereads the position: the outcome of the last attempt is unknown, or another process has handed over since. */
    reset(): void {
      position = undefined
      handedOver.clear()
    },
  }
}

async function findHorizon(db: Queryable): Promise<bigint> {
  return BigInt(onlyRow(await db.query<{ horizon: string }>(FIND_HORIZON)).horizon)
}

const waking = new WeakMap<Queryable, { again: boolean }>()

/** Often enough under load: of 0.18 such statements per new wallet, some hundredths remain. */
const WAKE_INTERVAL_MS = 10

/**
 * Wakes the relay, without blocking the caller and at most once in some milliseconds. Not a part of the write: a
 * transaction with a notification takes a cluster-wide lock when it commits, which reduced 8,100 writes per second to
 * 3,500. Polling finds what a lost notification missed.
 */
export function wakeRelay(db: Queryable): void {
  const pending = waking.get(db)
  if (pending) {
    pending.again = true
    return
  }
  const state = { again: false }
  waking.set(db, state)
  void withoutCaller(() => within([], () => db.query(NOTIFY))) // for all callers, so in no trace
    .catch(() => {})
    .then(() => sleep(WAKE_INTERVAL_MS, undefined, { ref: false }))
    .finally(() => {
      waking.delete(db)
      if (state.again) wakeRelay(db)
    })
}
