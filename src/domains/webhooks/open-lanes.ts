import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../kernel/log.ts'
import type { Poster } from '../../kernel/outbound/post-outside.ts'
import { findDueDeliveries } from './delivery-store.ts'
import { type AttemptDeps, openAttempts } from './open-attempts.ts'
import { HELD_MAX, type Lane, openLane } from './open-lane.ts'
import { type Endpoint, listUsedEndpointsOf } from './store.ts'

const FETCHED_AT_ONCE = 2_000
const STOP_GRACE_MS = 3_000

/** An endpoint as it was read last, with its deliveries. */
type Served = { endpoint: Endpoint; lane: Lane }
type Settings = { poster: Poster; log: Log; onLow: () => void }

/** A lane for each endpoint that something is due for, and what fills them. */
export function openLanes(context: AttemptDeps, { onLow, ...calling }: Settings) {
  const { db, clock } = context
  const served = new Map<string, Served>()
  const attempts = openAttempts(context, calling)

  function laneOf(endpoint: Endpoint): Lane {
    const known = served.get(endpoint.id)
    if (known) {
      if (known.endpoint.revision !== endpoint.revision) known.lane.close()
      known.endpoint = endpoint
      return known.lane
    }
    const own: Served = {
      endpoint,
      lane: openLane({ attempt: (delivery) => attempts.attempt(own, delivery), onLow, clock }),
    }
    served.set(endpoint.id, own)
    return own.lane
  }

  const drop = () => {
    for (const { lane } of served.values()) lane.drop()
  }

  return {
    /** Leaves what has not begun. */
    drop,

    /** Fetches what is due for the lanes that have room, and reads their endpoints anew; true when there is more at once. */
    async refill(): Promise<boolean> {
      const rooms = new Map([...served].map(([id, { lane }]) => [id, lane.room()]))
      const held = [...served.values()].flatMap(({ lane }) => (lane.room() > 0 ? lane.held() : []))
      const wanted = { at: clock.now(), held, rooms, ofEach: HELD_MAX, inAll: FETCHED_AT_ONCE }
      const due = await findDueDeliveries(db, wanted)
      const isFull = due.length === FETCHED_AT_ONCE
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

    /** Lets what runs end for a while, then cuts it off. */
    async stop(): Promise<void> {
      drop()
      const settled = Promise.all([...served.values()].map(({ lane }) => lane.settled()))
      await Promise.race([settled, sleep(STOP_GRACE_MS, undefined, { ref: false })])
      await attempts.stop()
      await settled
    },
  }
}
