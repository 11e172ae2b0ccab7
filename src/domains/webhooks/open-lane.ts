import type { Clock } from '../../kernel/clock.ts'
import type { DueDelivery, Named } from './delivery-store.ts'

/** So many calls to one endpoint are under way at most. */
const CALLS_AT_ONCE = 32
/** What waits in memory for one endpoint; more is fetched when half of it is gone. */
export const HELD_MAX = 200
/** After so many failures in a row an endpoint is called once at a time, after a pause that grows. */
const FAILURES_IN_A_ROW = 5
const PAUSE_MIN_MS = 5_000
const PAUSE_MAX_MS = 60_000

type LaneSettings = {
  /** Makes one attempt and notes what came of it; false when it failed. Never rejects. */
  attempt: (delivery: DueDelivery) => Promise<boolean>
  /** More could be fetched. */
  onLow: () => void
  clock: Clock
}

export type Lane = ReturnType<typeof openLane>

/**
 * The deliveries to one endpoint: several at a time, those about one subject one after another, in order. It has a circuit of its own,
 * so an endpoint that is down or slow costs a call now and then and delays nobody else.
 */
export function openLane({ attempt, onLow, clock }: LaneSettings) {
  const waiting: DueDelivery[] = []
  const running = new Map<DueDelivery, Promise<void>>()
  const subjects = new Set<string>() // of those that run
  let failures = 0 // in a row
  let pauses = 0 // since it took something
  let restsUntil_ms = 0
  let isAll = true // nothing was left behind at the last fetch

  const now_ms = () => clock.now().getTime()
  const isOpen = () => failures >= FAILURES_IN_A_ROW
  /** A clock that was put back prolongs no pause. */
  const isCircuitOpen = () => now_ms() < restsUntil_ms && now_ms() >= restsUntil_ms - PAUSE_MAX_MS
  const width = () => (!isOpen() ? CALLS_AT_ONCE : isCircuitOpen() ? 0 : 1)
  const heldCount = () => waiting.length + running.size
  const room = () => {
    if (isOpen()) return Math.max(0, width() - heldCount())
    return heldCount() > HELD_MAX / 2 ? 0 : HELD_MAX - heldCount()
  }

  /** Begins what can be begun. */
  function go(): void {
    while (running.size < width()) {
      const index = waiting.findIndex(({ event }) => !subjects.has(event.subject))
      const [delivery] = index === -1 ? [] : waiting.splice(index, 1)
      if (!delivery) return
      subjects.add(delivery.event.subject)
      running.set(delivery, run(delivery))
    }
  }

  async function run(delivery: DueDelivery): Promise<void> {
    const isTaken = await attempt(delivery)
    running.delete(delivery)
    subjects.delete(delivery.event.subject)
    if (isTaken) close()
    else fail()
    go()
    if (!isAll && room() > 0) onLow()
  }

  function close(): void {
    failures = 0
    pauses = 0
  }

  /** What was under way with the failure that opened the circuit does not prolong its pause. */
  function fail(): void {
    failures++
    if (!isOpen() || isCircuitOpen()) return
    restsUntil_ms = now_ms() + Math.min(PAUSE_MAX_MS, PAUSE_MIN_MS * 2 ** pauses++)
    drop()
  }

  /** Leaves what has not begun to the next fetch. */
  function drop(): void {
    if (waiting.length > 0) isAll = false
    waiting.length = 0
  }

  return {
    /** Takes what was fetched, and whether that was all there is. */
    take(deliveries: DueDelivery[], { all }: { all: boolean }): void {
      waiting.push(...deliveries)
      isAll = all
      go()
    },
    room,
    drop,
    /** Closes the circuit: its owner has changed the endpoint. */
    close,
    held: (): Named[] =>
      [...waiting, ...running.keys()].map(({ endpointId, event }) => ({ endpointId, eventId: event.id })),
    isIdle: () => heldCount() === 0 && failures === 0,
    /** Resolves when what runs has ended. */
    settled: async (): Promise<void> => void (await Promise.all(running.values())),
  }
}
