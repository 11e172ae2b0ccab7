import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 200

/** Resolves when the condition holds, rejects after the timeout. Polls rarely, so that polling is no load. */
export async function until(timeout_ms: number, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeout_ms
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`it takes longer than ${timeout_ms} ms`)
    await sleep(POLL_MS)
  }
}
