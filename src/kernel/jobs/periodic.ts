import type { Leadership } from '../db/leadership.ts'
import { describe } from '../http/problems.ts'
import type { Log } from '../log.ts'

/** A task that every process repeats, unless it has a leader. So it must be safe to run in several at the same time. */
export type PeriodicTask = {
  name: string
  every_ms: number
  /** Runs a round, and ends when `stop` is aborted; resolves to true when there is more to do at once. */
  run: (stop: AbortSignal) => Promise<boolean | void>
}

type LedTask = PeriodicTask & {
  /** The advisory lock of the leader; an arbitrary constant, different for each task. */
  lock: number
  /** Drops state: another process leads, or the outcome of the last round is unknown. */
  reset?: () => void
}

/** Returns the task as one process at a time runs it. */
export const asLeader = (leadership: Leadership, { lock, reset, run, ...task }: LedTask): PeriodicTask => ({
  ...task,
  run: async (stop) => {
    if (!(await leadership.leads(lock))) return reset?.()
    try {
      return await run(stop)
    } catch (error) {
      reset?.()
      throw error
    }
  },
})

export type RunningTask = {
  /** Starts the next round at once, or after the current one. */
  wake(): void
  stop(): Promise<void>
}

/** Runs a task at once, then at its interval and when woken, never concurrently with itself. */
export function startTask({ name, every_ms, run }: PeriodicTask, log: Log): RunningTask {
  const stopping = new AbortController()
  const { signal } = stopping
  let isWoken = false
  let endWait = () => {}

  async function repeat(): Promise<void> {
    while (!signal.aborted) {
      isWoken = false
      try {
        while (await run(signal)) if (signal.aborted) return
      } catch (error) {
        log.warn({ periodic: name, error: describe(error) }, 'periodic task failed; retrying')
      }
      if (!isWoken) await wait()
    }
  }

  async function wait(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      endWait = resolve
      timer = setTimeout(resolve, every_ms)
    })
    clearTimeout(timer)
  }

  const wake = () => {
    isWoken = true
    endWait()
  }
  const ended = repeat()
  return {
    wake,
    async stop() {
      stopping.abort()
      wake()
      await ended
    },
  }
}

/** Starts tasks. The returned function stops them. */
export function startPeriodic(list: PeriodicTask[], log: Log): () => Promise<void> {
  const tasks = list.map((task) => startTask(task, log))
  return async () => void (await Promise.all(tasks.map(({ stop }) => stop())))
}
