import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, onlyRow, type Queryable, statement } from '../kernel/db/database.ts'
import { outsideLanes } from '../kernel/db/lanes.ts'
import { openListener } from '../kernel/db/listener.ts'
import { describe } from '../kernel/http/problems.ts'
import type { Log } from '../kernel/log.ts'
import { type EventType, jobOf, STARTING_TYPES } from './catalogue.ts'

const CHANNEL = 'banyan_events'
const LOCK = 7_226_401_378 // one relay at a time; any constant will do
const POLL_INTERVAL_MS = 500
const EVENTS_AT_ONCE = 500
/** How many events may wait behind one transaction that does not end before the relay waits for it too. */
const REMEMBERED_MAX = 100_000

const NOTIFY = statement('events_notify', `select pg_notify('${CHANNEL}', '')`)

const HORIZON = statement('events_horizon', 'select pg_snapshot_xmin(pg_current_snapshot())::text as horizon')

/** Events of transactions from the position on, also of those that commit late; `horizon` is the oldest one still running. */
const WAITING = statement(
  'events_waiting',
  `select h.horizon, e.event_id, e.type, e.data, e.xid
     from (select pg_snapshot_xmin(pg_current_snapshot())::text as horizon) h
     left join lateral (
       select event_id, type, data, xid::text as xid
         from events
        where xid >= $1::xid8 and type = any ($2) and event_id <> all ($3)
        order by events.xid, event_id
        limit $4) e on true`,
)

const POSITION = statement('relays_position', 'select position::text as position from relays where relay_name = $1')

const ADVANCE = statement(
  'relays_advance',
  `insert into relays (relay_name, position) values ($1, $2::xid8)
       on conflict (relay_name) do update set position = excluded.position where relays.position < excluded.position`,
)

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
export function startRelay({ db, url, log, start, poll_ms = POLL_INTERVAL_MS }: RelaySettings): {
  stop(): Promise<void>
} {
  const ending = new AbortController()
  const waiting = openBell()
  const listener = openListener({
    url,
    channel: CHANNEL,
    onMessage: waiting.ring,
    onLost: (error) => log.warn({ error: describe(error) }, 'the relay lost its connection'),
  })
  const outbox = openOutbox(db)

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        if (await listener.leads(LOCK)) while (await outbox.handOver(start));
        else outbox.forget()
      } catch (error) {
        log.warn({ error: describe(error) }, 'events were not relayed; it is tried again')
        outbox.forget()
      }
      await waiting.heard(poll_ms, ending.signal)
    }
  }

  const following = follow()
  return {
    async stop() {
      ending.abort()
      waiting.ring()
      await following
      await listener.close()
    },
  }
}

const RELAY = 'jobs'
type Waiting = { horizon: string; event_id: string | null; type: EventType; data: Record<string, unknown>; xid: string }

/** The outbox as the relay reads it. */
export function openOutbox(db: Queryable, { rememberedMax = REMEMBERED_MAX } = {}) {
  let position: bigint | undefined
  const handedOver = new Map<string, bigint>() // beyond the position: events whose neighbours may still commit

  return {
    /** Hands over what waits; true when there is more. */
    async handOver(start: RelaySettings['start']): Promise<boolean> {
      position ??= BigInt((await db.query<{ position: string }>(POSITION, [RELAY]))[0]?.position ?? '0')
      if (handedOver.size >= rememberedMax && (await findHorizon(db)) <= position) return false
      const values = [String(position), STARTING_TYPES, [...handedOver.keys()], EVENTS_AT_ONCE]
      const rows = await db.query<Waiting>(WAITING, values)
      const events = rows.filter(({ event_id }) => event_id !== null)
      const jobs = events.flatMap(({ event_id, type, data }) => {
        const job = jobOf({ type, data })
        return job === undefined ? [] : [{ job, eventId: event_id as string, data }]
      })
      if (jobs.length > 0) await start(jobs)
      for (const { event_id, xid } of events) handedOver.set(event_id as string, BigInt(xid))

      const isFull = events.length === EVENTS_AT_ONCE
      const horizon = BigInt(rows[0]?.horizon ?? 0)
      const seen = isFull ? BigInt(events.at(-1)?.xid ?? 0) : horizon
      const next = seen < horizon ? seen : horizon
      if (next > position && handedOver.size > 0) await db.query(ADVANCE, [RELAY, String(next)])
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

/** A bell that is heard once for however often it was rung. */
function openBell() {
  let isRung = false
  let answer: (() => void) | undefined
  return {
    ring: () => {
      isRung = true
      answer?.()
    },
    async heard(timeout_ms: number, signal: AbortSignal): Promise<void> {
      if (!isRung && !signal.aborted) {
        const patience = new AbortController()
        await Promise.race([
          new Promise<void>((resolve) => (answer = resolve)),
          sleep(timeout_ms, undefined, { signal: patience.signal }).catch(() => {}),
        ])
        patience.abort()
      }
      isRung = false
    },
  }
}

const waking = new WeakMap<Queryable, { again: boolean }>()

/**
 * Wakes the relay, beside the caller and at most once at a time. Not a part of the write: a transaction that notifies takes a
 * lock of the whole cluster when it commits, and 8,100 writes a second became 3,500. What is not heard is found by looking.
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
    .finally(() => {
      waking.delete(db)
      if (state.again) wakeRelay(db)
    })
}
