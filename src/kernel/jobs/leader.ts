import { setTimeout as sleep } from 'node:timers/promises'
import { openListener } from '../db/listener.ts'
import { describe } from '../http/problems.ts'
import type { Log } from '../log.ts'

type LeaderSettings = {
  /** What does the work, for the log. */
  name: string
  url: string
  /** Whoever notifies it wakes the leader. */
  channel: string
  /** Held by whoever leads; any constant that no other work has. */
  lock: number
  log: Log
  /** How often it looks by itself. */
  poll_ms: number
  /** One round; true when there is more to do at once. */
  work: () => Promise<boolean>
  /** Forgets what it knows: another one leads, or nobody knows what became of the last round. */
  forget: () => void
}

export type Leader = { wake(): void; stop(): Promise<void> }

/**
 * Does work that one process does at a time: of all workers the one whose connection holds the lock. Round after round while
 * there is more, then when it is woken, and by itself now and then.
 */
export function startLeader({ name, url, channel, lock, log, poll_ms, work, forget }: LeaderSettings): Leader {
  const ending = new AbortController()
  const bell = openBell()
  const listener = openListener({
    url,
    channel,
    onMessage: bell.ring,
    onLost: (error) => log.warn({ error: describe(error) }, `${name} lost its connection`),
  })

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        if (!(await listener.leads(lock))) forget()
        else while (await work()) if (ending.signal.aborted) return
      } catch (error) {
        log.warn({ error: describe(error) }, `${name} failed; retrying`)
        forget()
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
