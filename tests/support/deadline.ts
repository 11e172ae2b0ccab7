import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 20

/**
 * How long a test waits for what happens soon: on a busy machine that is late. That something happens within a second is
 * asserted of the interval that the program uses, not of the machine's clock.
 */
export const DEADLINE_MS = 120_000

/** Polls until the condition holds; fails after the time allowed. */
export async function within(deadline_ms: number, isSo: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    if (await isSo()) return
    assert(performance.now() - startedAt < deadline_ms, `it takes longer than ${deadline_ms} ms`)
    await sleep(PAUSE_MS)
  }
}
