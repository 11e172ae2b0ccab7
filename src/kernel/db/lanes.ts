import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '../problem-error.ts'

const current = new AsyncLocalStorage<string | undefined>()

/** Runs something for one caller: what it sends to the database goes through the caller's lane. */
export const inLane = <T>(lane: string, work: () => T): T => current.run(lane, work)

/** Runs something that is nobody's alone, such as a statement that several callers share. */
export const outsideLanes = <T>(work: () => T): T => current.run(undefined, work)

type Waiter = { since_ms: number; start: () => void }
type Lane = { running: number; queue: Waiter[] }

/**
 * Lets so many statements of one caller run at a time; the others wait in memory, in turn, and hold no connection. So a caller
 * whose statements are slow, or wait for a lock, leaves connections to the others. Who waits longer than that gets a 503.
 */
export function openLanes(width: number, waitMax_ms: number) {
  const lanes = new Map<string, Lane>()

  function enter(lane: Lane): Promise<void> | void {
    if (lane.running < width) return void lane.running++
    return new Promise((resolve, reject) => {
      const place = { since_ms: performance.now(), start }
      const patience = setTimeout(() => {
        lane.queue.splice(lane.queue.indexOf(place), 1)
        reject(unavailable())
      }, waitMax_ms)
      function start() {
        clearTimeout(patience)
        resolve()
      }
      lane.queue.push(place)
    })
  }

  function leave(name: string, lane: Lane): void {
    const next = lane.queue.shift()
    if (next) return next.start() // in the place of the one that leaves
    if (--lane.running === 0) lanes.delete(name)
  }

  return {
    /** Runs a statement in the lane it was called in. */
    async run<T>(work: () => Promise<T>): Promise<T> {
      const name = current.getStore()
      if (name === undefined) return work()
      let lane = lanes.get(name)
      if (!lane) lanes.set(name, (lane = { running: 0, queue: [] }))
      await enter(lane)
      try {
        return await work()
      } finally {
        leave(name, lane)
      }
    },

    /** How long the first of those who wait in a lane has waited; 0 when nobody does. */
    oldest_ms(name: string): number {
      const first = lanes.get(name)?.queue[0]
      return first === undefined ? 0 : performance.now() - first.since_ms
    },
  }
}
