import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 200

/** Resolves when it is so, fails when it takes longer. Asks rarely: looking must not become a load of its own. */
export async function until(timeout_ms: number, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeout_ms
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it takes longer than ${timeout_ms} ms`)
    await sleep(POLL_MS)
  }
}
