import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, onlyRow, type Queryable, statement } from '../kernel/db/database.ts'
import { outsideLanes } from '../kernel/db/lanes.ts'
import { purge } from '../kernel/db/purge.ts'
import { type Leader, startLeader } from '../kernel/jobs/leader.ts'
import type { Log } from '../kernel/log.ts'
import { type EventType, jobOf, PUBLIC_TYPES, STARTING_TYPES } from './catalogue.ts'

/** Notified when events were written that start something. */
export const EVENTS_CHANNEL = 'banyan_events'
const LOCK = 7_226_401_378 // one relay at a time; any constant will do
const POLL_INTERVAL_MS = 500
const EVENTS_AT_ONCE = 500
/** How many events may wait behind one transaction that does not end before the relay waits for it too. */
const REMEMBERED_MAX = 100_000

const NOTIFY = statement('events_notify', `select pg_notify('${EVENTS_CHANNEL}', '')`)

const HORIZON = statement('events_horizon', 'select pg_snapshot_xmin(pg_current_snapshot())::text as horizon')

/** Events of transactions from the position on, also of those that commit late; `horizon` is the oldest one still running. */
const WAITING = statement(
  'events_waiting',
  `select h.horizon, e.event_id, e.type, e.platform_id, e.benefit_provider_id, e.data, e.xid
     from (select pg_snapshot_xmin(pg_current_snapshot())::text as horizon) h
     left join lateral (
       select event_id, type, platform_id, benefit_provider_id, data, xid::text as xid
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

/** The program may not delete events; the function knows which are old enough, and that a relay needs those it has not passed. */
const DELETE_OLD = statement('events_forget', 'select event_id from delete_old_events($1, $2, $3) as event_id')

/** Deletes the events that are older than 30 days. */
export const deleteOldEvents = (db: Queryable): Promise<void> => purge(db, DELETE_OLD, [STARTING_TYPES, PUBLIC_TYPES])

/** A job that an event starts. The id comes from the event, so that a repetition is the same job. */
export type StartedJob = { job: string; eventId: string; data: Record<string, unknown> }

type RelaySettings = {
  db: Database
  url: string
  log: Log
  /** Queues the jobs; those that are queued already change nothing. */
  start: (jobs: StartedJob[]) => Promise<void>
  /** How often it looks by itself. */
  poll_ms?: number
}

/**
 * Starts the jobs that events start: reads the outbox, hands over, moves its position on. An event is handed over at least
 * once, and never skipped however late its transaction commits: the position only passes transactions that have ended, and
 * what was handed over beyond it is remembered. Woken by NOTIFY, and looking by itself twice a second. Of all workers the
 * one whose connection holds the lock does it.
 */
export function startRelay({ db, url, log, start, poll_ms = POLL_INTERVAL_MS }: RelaySettings): Leader {
  const outbox = openOutbox(db)
  return startLeader({
    name: 'the relay',
    url,
    channel: EVENTS_CHANNEL,
    lock: LOCK,
    log,
    poll_ms,
    work: () => outbox.handOver(start),
    forget: outbox.forget,
  })
}

/** The outbox as the relay of jobs reads it. */
export function openOutbox(db: Queryable, settings: { rememberedMax?: number } = {}) {
  const reader = openReader(db, { relay: 'jobs', types: STARTING_TYPES, ...settings })
  return {
    ...reader,
    handOver: (start: RelaySettings['start']) =>
      reader.handOver(async (events) => {
        const jobs = events.flatMap(({ id: eventId, type, data }) => {
          const job = jobOf({ type, data })
          return job === undefined ? [] : [{ job, eventId, data }]
        })
        if (jobs.length > 0) await start(jobs)
      }),
  }
}

/** An event as it is handed over. */
export type OutboxEvent = {
  id: string
  type: EventType
  /** The platform and the benefit provider that it concerns; null for none. */
  platformId: string | null
  providerId: string | null
  data: Record<string, unknown>
}

type Waiting = { horizon: string; event_id: string | null; xid: string } & Pick<OutboxEvent, 'type' | 'data'> & {
    platform_id: string | null
    benefit_provider_id: string | null
  }

type Reading = { relay: string; types: readonly EventType[]; rememberedMax?: number }

/** The outbox as one relay reads it, from its own position on. */
export function openReader(db: Queryable, { relay, types, rememberedMax = REMEMBERED_MAX }: Reading) {
  let position: bigint | undefined
  const handedOver = new Map<string, bigint>() // beyond the position: events whose neighbours may still commit

  return {
    /** Hands over what waits; true when there is more. */
    async handOver(take: (events: OutboxEvent[]) => Promise<void>): Promise<boolean> {
      position ??= BigInt((await db.query<{ position: string }>(POSITION, [relay]))[0]?.position ?? '0')
      if (handedOver.size >= rememberedMax && (await findHorizon(db)) <= position) return false
      const rows = await db.query<Waiting>(WAITING, [String(position), types, [...handedOver.keys()], EVENTS_AT_ONCE])
      const events = rows.flatMap(
        ({ event_id: id, platform_id: platformId, benefit_provider_id: providerId, type, data }) =>
          id === null ? [] : [{ id, type, platformId, providerId, data }],
      )
      if (events.length > 0) await take(events)
      for (const { event_id, xid } of rows) if (event_id !== null) handedOver.set(event_id, BigInt(xid))

      const isFull = events.length === EVENTS_AT_ONCE
      const horizon = BigInt(rows[0]?.horizon ?? 0)
      const seen = isFull ? BigInt(rows.at(-1)?.xid ?? 0) : horizon
      const next = seen < horizon ? seen : horizon
      if (next > position && handedOver.size > 0) await db.query(ADVANCE, [relay, String(next)])
      if (next > position) position = next
      for (const [id, xid] of handedOver) if (xid < position) handedOver.delete(id)
      return isFull
    },
    /** Reads its position anew: nobody knows what became of the last attempt, or another has handed over since. */
    forget(): void {
      position = undefined
      handedOver.clear()
    },
  }
}

async function findHorizon(db: Queryable): Promise<bigint> {
  return BigInt(onlyRow(await db.query<{ horizon: string }>(HORIZON)).horizon)
}

const waking = new WeakMap<Queryable, { again: boolean }>()

/** While many write, this is often enough: of 0.18 such statements for each new wallet some hundredths are left. */
const WAKE_INTERVAL_MS = 10

/**
 * Wakes the relay, beside the caller and at most once in some milliseconds. Not a part of the write: a transaction that
 * notifies takes a lock of the whole cluster when it commits, and 8,100 writes a second became 3,500. What is not heard is
 * found by looking.
 */
export function wakeRelay(db: Queryable): void {
  const known = waking.get(db)
  if (known) {
    known.again = true
    return
  }
  const state = { again: false }
  waking.set(db, state)
  void outsideLanes(() => db.query(NOTIFY))
    .catch(() => {})
    .then(() => sleep(WAKE_INTERVAL_MS, undefined, { ref: false }))
    .finally(() => {
      waking.delete(db)
      if (state.again) wakeRelay(db)
    })
}
