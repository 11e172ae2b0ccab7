import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../kernel/log.ts'
import type { Metrics } from '../../../kernel/metrics.ts'
import type { Poster } from '../../../kernel/outbound/post-outside.ts'
import { findDueDeliveries } from './sender-store.ts'
import { type AttemptDeps, createAttempts } from './create-attempts.ts'
import { HELD_MAX, type Lane, createLane } from './create-lane.ts'
import { type Endpoint, listUsedEndpointsOf } from './store.ts'

const FETCH_BATCH_SIZE = 2_000
const STOP_GRACE_MS = 3_000

/** An endpoint as last read, with its lane. */
type ServedEndpoint = { endpoint: Endpoint; lane: Lane }
type Settings = { poster: Poster; log: Log; metrics: Metrics; onLow: () => void }

/** Opens a lane for each endpoint with due deliveries, and fills the lanes. */
export function createLanes(context: AttemptDeps, { onLow, ...calling }: Settings) {
  const { db, clock } = context
  const served = new Map<string, ServedEndpoint>()
  const attempts = createAttempts(context, calling)

  function laneOf(endpoint: Endpoint): Lane {
    const known = served.get(endpoint.id)
    if (known) {
      if (known.endpoint.revision !== endpoint.revision) known.lane.close()
      known.endpoint = endpoint
      return known.lane
    }
    const own: ServedEndpoint = {
      endpoint,
      lane: createLane({ attempt: (delivery) => attempts.attempt(own, delivery), onLow, clock }),
    }
    served.set(endpoint.id, own)
    return own.lane
  }

  const drop = () => {
    for (const { lane } of served.values()) lane.drop()
  }

  return {
    /** Drops queued deliveries. */
    drop,

    openCircuits: () => [...served.values()].filter(({ lane }) => lane.isOpen()).length,

    /**
     * Fetches due deliveries for lanes with room, and rereads their endpoints; resolves to true when there are more.
     */
    async refill(): Promise<boolean> {
      const rooms = new Map([...served].map(([id, { lane }]) => [id, lane.room()]))
      const held = [...served.values()].flatMap(({ lane }) => (lane.room() > 0 ? lane.held() : []))
      const query = { at: clock.now(), held, rooms, ofEach: HELD_MAX, inAll: FETCH_BATCH_SIZE }
      const due = await findDueDeliveries(db, query)
      const isFull = due.length === FETCH_BATCH_SIZE
      const fetched = Map.groupBy(due, ({ endpointId }) => endpointId)
      const ids = [...new Set([...fetched.keys(), ...served.keys()])]
      const endpoints = ids.length === 0 ? [] : await listUsedEndpointsOf(db, ids)
      for (const endpoint of endpoints) {
        const own = fetched.get(endpoint.id) ?? []
        laneOf(endpoint).take(own, { all: !isFull && own.length < (rooms.get(endpoint.id) ?? HELD_MAX) })
      }
      const used = new Set(endpoints.map(({ id }) => id))
      for (const [id, { lane }] of served) {
        if (!used.has(id)) lane.drop()
        if (lane.isIdle() || (!used.has(id) && lane.held().length === 0)) served.delete(id)
      }
      return isFull
    },

    /** Waits a while for running calls to end, then aborts them. */
    async stop(): Promise<void> {
      drop()
      const settled = Promise.all([...served.values()].map(({ lane }) => lane.settled()))
      await Promise.race([settled, sleep(STOP_GRACE_MS, undefined, { ref: false })])
      await attempts.stop()
      await settled
    },
  }
}
