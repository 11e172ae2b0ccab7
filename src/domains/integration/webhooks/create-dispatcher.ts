import type { Clock } from '../../../kernel/clock.ts'
import type { DueDelivery, DeliveryKey } from './sender-store.ts'

/** Maximum number of concurrent calls to one endpoint. */
const CALLS_AT_ONCE = 32
/** Maximum number of deliveries in memory for one endpoint; more are fetched when half of them are gone. */
export const HELD_MAX = 200
/** After this many consecutive failures, an endpoint gets one call at a time, with growing pauses. */
const CONSECUTIVE_FAILURES_MAX = 5
const PAUSE_MIN_MS = 5_000
const PAUSE_MAX_MS = 60_000

type DispatcherSettings = {
  /** Makes one attempt and records its outcome; false when it failed. Never rejects. */
  attempt: (delivery: DueDelivery) => Promise<boolean>
  /** Called when more could be fetched. */
  onLow: () => void
  clock: Clock
}

export type Dispatcher = ReturnType<typeof createDispatcher>

/**
 * Delivers to one endpoint: several at a time, those about one subject in order. It has its own circuit breaker, so a
 * slow or unavailable endpoint costs an occasional call and delays nobody else.
 */
export function createDispatcher({ attempt, onLow, clock }: DispatcherSettings) {
  const queued: DueDelivery[] = []
  const running = new Map<DueDelivery, Promise<void>>()
  const subjects = new Set<string>() // of running deliveries
  let failures = 0 // consecutive
  let pauses = 0 // since the last success
  let openUntil_ms = 0
  let isComplete = true // the last fetch left nothing behind

  const now_ms = () => clock.now().getTime()
  const isOpen = () => failures >= CONSECUTIVE_FAILURES_MAX
  /** A clock set back prolongs no pause. */
  const isCircuitOpen = () => now_ms() < openUntil_ms && now_ms() >= openUntil_ms - PAUSE_MAX_MS
  const width = () => (!isOpen() ? CALLS_AT_ONCE : isCircuitOpen() ? 0 : 1)
  const heldCount = () => queued.length + running.size
  const room = () => {
    if (isOpen()) return Math.max(0, width() - heldCount())
    return heldCount() > HELD_MAX / 2 ? 0 : HELD_MAX - heldCount()
  }

  function startNext(): void {
    while (running.size < width()) {
      const index = queued.findIndex(({ event }) => !subjects.has(event.subject))
      const [delivery] = index === -1 ? [] : queued.splice(index, 1)
      if (!delivery) return
      subjects.add(delivery.event.subject)
      running.set(delivery, run(delivery))
    }
  }

  async function run(delivery: DueDelivery): Promise<void> {
    const isAccepted = await attempt(delivery)
    running.delete(delivery)
    subjects.delete(delivery.event.subject)
    if (isAccepted) close()
    else fail()
    startNext()
    if (!isComplete && room() > 0) onLow()
  }

  function close(): void {
    failures = 0
    pauses = 0
  }

  /** Failures of calls that ran when the circuit opened do not prolong the pause. */
  function fail(): void {
    failures++
    if (!isOpen() || isCircuitOpen()) return
    openUntil_ms = now_ms() + Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** pauses++)
    drop()
  }

  /** Drops queued deliveries, which are fetched again later. */
  function drop(): void {
    if (queued.length > 0) isComplete = false
    queued.length = 0
  }

  return {
    /** Adds fetched deliveries; `all` says that there are no more. */
    take(deliveries: DueDelivery[], { all }: { all: boolean }): void {
      queued.push(...deliveries)
      isComplete = all
      startNext()
    },
    room,
    drop,
    /** Closes the circuit, after the owner has changed the endpoint. */
    close,
    inMemory: (): DeliveryKey[] =>
      [...queued, ...running.keys()].map(({ endpointId, event }) => ({ endpointId, eventId: event.id })),
    isIdle: () => heldCount() === 0 && failures === 0,
    isOpen,
    /** Resolves when all running calls have ended. */
    settled: async (): Promise<void> => void (await Promise.all(running.values())),
  }
}
