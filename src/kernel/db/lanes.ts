import { AsyncLocalStorage } from 'node:async_hooks'
import { unavailable } from '../problem-error.ts'

const current = new AsyncLocalStorage<string | undefined>()

/** Runs work for one caller: its statements go through the caller's lane. */
export const inLane = <T>(lane: string, work: () => T): T => current.run(lane, work)

/** Returns the caller whose work this is; undefined when it belongs to no single one. */
export const currentLane = (): string | undefined => current.getStore()

/** Runs work that belongs to no single caller, such as a statement that several callers share. */
export const outsideLanes = <T>(work: () => T): T => current.run(undefined, work)

type Waiter = { since_ms: number; start: () => void }
type Lane = { running: number; queue: Waiter[] }

/**
 * Limits how many statements of one caller run at a time; the others queue in memory and hold no connection. So a
 * caller with slow or blocked statements leaves connections to the others. Throws 503 `unavailable` after `waitMax_ms`.
 */
export function createLanes(width: number, waitMax_ms: number) {
  const lanes = new Map<string, Lane>()

  function enter(lane: Lane): Promise<void> | void {
    if (lane.running < width) return void lane.running++
    return new Promise((resolve, reject) => {
      const waiter = { since_ms: performance.now(), start }
      const timer = setTimeout(() => {
        lane.queue.splice(lane.queue.indexOf(waiter), 1)
        reject(unavailable())
      }, waitMax_ms)
      function start() {
        clearTimeout(timer)
        resolve()
      }
      lane.queue.push(waiter)
    })
  }

  function leave(name: string, lane: Lane): void {
    const next = lane.queue.shift()
    if (next) return next.start() // takes over the slot
    if (--lane.running === 0) lanes.delete(name)
  }

  return {
    /** Runs a statement in the caller's lane. */
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

    /** Returns how long the first call in a lane has waited; 0 when none waits. */
    oldest_ms(name: string): number {
      const first = lanes.get(name)?.queue[0]
      return first === undefined ? 0 : performance.now() - first.since_ms
    },
  }
}
