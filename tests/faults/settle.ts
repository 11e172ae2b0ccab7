import { setTimeout as sleep } from 'node:timers/promises'
import { isAcknowledged, type Journal } from './journal.ts'
import { type Context, DIAL_CODE } from './member.ts'
import { countMessages } from './sandbox.ts'
import type { Say, Target } from './stage.ts'
import { readUnfinished } from './stored.ts'
import { countMissing } from './webhooks.ts'

/**
 * A job whose worker died runs again within 90 seconds; then follow the delays after attempts that met a broken
 * database. A delivery that has failed twice is repeated after five minutes, and up to a fifth later.
 */
const SETTLE_TIMEOUT_MS = 420_000
const POLL_MS = 1_000

/**
 * Waits until no work is in progress any more: accounts, wallets, codes, events. Returns how long that took, and what
 * remains.
 */
export async function settle(stage: Target, context: Context, say: Say): Promise<{ took_s: number; left: string }> {
  const from = performance.now()
  let before = ''
  for (;;) {
    await stage.heal()
    const left = await findUnfinished(stage, context)
    const took_ms = performance.now() - from
    if (left === '' || took_ms > SETTLE_TIMEOUT_MS) return { took_s: Math.round(took_ms / 1000), left }
    if (left !== before) say(`${left} left`)
    before = left
    await sleep(POLL_MS)
  }
}

async function findUnfinished(stage: Target, { journal, webhooks }: Context): Promise<string> {
  const unfinished = await readUnfinished(stage.databaseUrl)
  const undelivered = countMissing(webhooks, await webhooks.readLog())
  const counts = {
    ...unfinished,
    'undelivered events': undelivered,
    codes: await countUnsent(stage.sandboxUrl, journal),
  }
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
