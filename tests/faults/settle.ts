import { setTimeout as sleep } from 'node:timers/promises'
import { isAcknowledged, type Journal } from './journal.ts'
import { DIAL_CODE } from './member.ts'
import { countMessages } from './sandbox.ts'
import type { Stage } from './stage.ts'
import { readUnfinished } from './stored.ts'

/** A job whose worker died runs again within 90 seconds; then come the pauses after tries that met a broken database. */
const SETTLE_TIMEOUT_MS = 240_000
const POLL_MS = 1_000

/** Waits until nothing is on its way any more: accounts, wallets, codes. Says how long that took, and what is left. */
export async function settle(stage: Stage, journal: Journal): Promise<{ took_s: number; left: string }> {
  const from = performance.now()
  for (;;) {
    await stage.heal()
    const left = await findUnfinished(stage, journal)
    const took_ms = performance.now() - from
    if (left === '' || took_ms > SETTLE_TIMEOUT_MS) return { took_s: Math.round(took_ms / 1000), left }
    await sleep(POLL_MS)
  }
}

async function findUnfinished(stage: Stage, journal: Journal): Promise<string> {
  const { accounts, wallets } = await readUnfinished(stage.databaseUrl)
  const counts = { accounts, wallets, codes: await countUnsent(stage.sandboxUrl, journal) }
  const left = Object.entries(counts).filter(([, count]) => count > 0)
  return left.map(([what, count]) => `${count} ${what}`).join(', ')
}

/** Codes that were acknowledged and not sent. */
async function countUnsent(sandboxUrl: string, journal: Journal): Promise<number> {
  const sent = await countMessages(sandboxUrl)
  const unsent = journal.owners('code').map((phone) => {
    const asked = journal.entries('code', phone).filter(isAcknowledged).length
    return Math.max(0, asked - (sent.get(DIAL_CODE + phone) ?? 0))
  })
  return unsent.reduce((sum, count) => sum + count, 0)
}
