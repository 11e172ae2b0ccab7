import { setTimeout as sleep } from 'node:timers/promises'
import { createListener } from '../db/listener.ts'
import { describe } from '../http/problems.ts'
import type { Log } from '../log.ts'

type LeaderSettings = {
  /** Names the work in the log. */
  name: string
  url: string
  /** A notification on this channel wakes the leader. */
  channel: string
  /** The advisory lock of the leader; an arbitrary constant, different for each kind of work. */
  lock: number
  log: Log
  /** How often it works without being woken. */
  poll_ms: number
  /** Runs one round; resolves to true when there is more to do at once. */
  work: () => Promise<boolean>
  /** Drops its state: another process leads, or the outcome of the last round is unknown. */
  reset: () => void
}

export type Leader = { wake(): void; stop(): Promise<void> }

/**
 * Runs work in one process at a time: in the worker whose connection holds the lock. Runs rounds while there is more to
 * do, then when woken, and at the polling interval.
 */
export function startLeader({ name, url, channel, lock, log, poll_ms, work, reset }: LeaderSettings): Leader {
  const ending = new AbortController()
  const bell = createSignal()
  const listener = createListener({
    url,
    channel,
    onMessage: bell.ring,
    onLost: (error) => log.warn({ error: describe(error) }, `${name} lost its connection`),
  })

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        if (!(await listener.leads(lock))) reset()
        else while (await work()) if (ending.signal.aborted) return
      } catch (error) {
        log.warn({ error: describe(error) }, `${name} failed; retrying`)
        reset()
      }
      await bell.heard(poll_ms, ending.signal)
    }
  }

  const following = follow()
  return {
    wake: bell.ring,
    async stop() {
      ending.abort()
      bell.ring()
      await following
      await listener.close()
    },
  }
}

/** A wake-up signal: any number of rings before it is heard count as one. */
function createSignal() {
  let isRung = false
  let wake: (() => void) | undefined
  return {
    ring: () => {
      isRung = true
      wake?.()
    },
    async heard(timeout_ms: number, signal: AbortSignal): Promise<void> {
      if (!isRung && !signal.aborted) {
        const timeout = new AbortController()
        await Promise.race([
          new Promise<void>((resolve) => (wake = resolve)),
          sleep(timeout_ms, undefined, { signal: timeout.signal }).catch(() => {}),
        ])
        timeout.abort()
      }
      isRung = false
    },
  }
}
