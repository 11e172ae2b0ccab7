import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 20

/** Polls until the condition holds; fails after the time allowed. */
export async function within(deadline_ms: number, isSo: () => Promise<boolean>): Promise<void> {
  const startedAt = performance.now()
  for (;;) {
    if (await isSo()) return
    assert(performance.now() - startedAt < deadline_ms, `it takes longer than ${deadline_ms} ms`)
    await sleep(PAUSE_MS)
  }
}
