import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../../../record/index.ts'
import type { Log } from '../../../kernel/log.ts'
import type { Metrics } from '../../../kernel/metrics.ts'
import type { Poster } from '../../../kernel/outbound/post-outside.ts'
import { findDueDeliveries } from './sender-store.ts'
import { createAttempts } from './create-attempts.ts'
import { HELD_MAX, type Dispatcher, createDispatcher } from './create-dispatcher.ts'
import { type Endpoint, listUsedEndpointsIn } from './store.ts'

const FETCH_BATCH_SIZE = 2_000
const STOP_GRACE_MS = 3_000

/** An endpoint as last read, with its dispatcher. */
type ServedEndpoint = { endpoint: Endpoint; dispatcher: Dispatcher }
type Settings = { poster: Poster; log: Log; metrics: Metrics; onLow: () => void }

/** Creates a dispatcher for each endpoint with due deliveries, and gives them what is due. */
export function createDispatchers(context: Deps, { onLow, ...calling }: Settings) {
  const { db, clock } = context
  const served = new Map<string, ServedEndpoint>()
  const attempts = createAttempts(context, calling)

  function findDispatcher(endpoint: Endpoint): Dispatcher {
    const existing = served.get(endpoint.id)
    if (existing) {
      if (existing.endpoint.revision !== endpoint.revision) existing.dispatcher.close()
      existing.endpoint = endpoint
      return existing.dispatcher
    }
    const entry: ServedEndpoint = {
      endpoint,
      dispatcher: createDispatcher({ attempt: (delivery) => attempts.attempt(entry, delivery), onLow, clock }),
    }
    served.set(endpoint.id, entry)
    return entry.dispatcher
  }

  const drop = () => {
    for (const { dispatcher } of served.values()) dispatcher.drop()
  }

  return {
    drop,

    openCircuits: () => [...served.values()].filter(({ dispatcher }) => dispatcher.isOpen()).length,

    /** Fetches due deliveries for dispatchers with room, and rereads their endpoints; true when there are more. */
    async refill(): Promise<boolean> {
      const rooms = new Map([...served].map(([id, { dispatcher }]) => [id, dispatcher.room()]))
      const inMemory = [...served.values()].flatMap(({ dispatcher }) =>
        dispatcher.room() > 0 ? dispatcher.inMemory() : [],
      )
      const query = { at: clock.now(), inMemory, rooms, ofEach: HELD_MAX, inAll: FETCH_BATCH_SIZE }
      const due = await findDueDeliveries(db, query)
      const isFull = due.length === FETCH_BATCH_SIZE
      const fetched = Map.groupBy(due, ({ endpointId }) => endpointId)
      const ids = [...new Set([...fetched.keys(), ...served.keys()])]
      const endpoints = ids.length === 0 ? [] : await listUsedEndpointsIn(db, ids)
      for (const endpoint of endpoints) {
        const due = fetched.get(endpoint.id) ?? []
        findDispatcher(endpoint).take(due, { all: !isFull && due.length < (rooms.get(endpoint.id) ?? HELD_MAX) })
      }
      const used = new Set(endpoints.map(({ id }) => id))
      for (const [id, { dispatcher }] of served) {
        if (!used.has(id)) dispatcher.drop()
        if (dispatcher.isIdle() || (!used.has(id) && dispatcher.inMemory().length === 0)) served.delete(id)
      }
      return isFull
    },

    /** Waits a while for running calls to end, then aborts them. */
    async stop(): Promise<void> {
      drop()
      const settled = Promise.all([...served.values()].map(({ dispatcher }) => dispatcher.settled()))
      await Promise.race([settled, sleep(STOP_GRACE_MS, undefined, { ref: false })])
      await attempts.stop()
      await settled
    },
  }
}
