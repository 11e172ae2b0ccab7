import assert from 'node:assert/strict'
import { statement } from '../src/kernel/db/database.ts'
import { ask } from './ask.ts'
import type { BenchContext, Part } from './part.ts'
import { target } from './report.ts'
import { until } from './until.ts'
import { createWallet } from './wallet-requests.ts'
import { openWalletSide, type WalletSide } from './wallet-side.ts'

const WALLETS = 1_000
const SECONDS_MAX = 30
const CALLS_AT_ONCE = 16
const TIMEOUT_MS = 180_000

/** Measures how long one worker takes to provision pending wallets at the sandbox operator. */
export const provisioning: Part = {
  name: 'provisioning',
  is: '1,000 pending wallets provisioned by one worker',
  run,
}

async function run(context: BenchContext): Promise<string> {
  const { stage, tenant, say } = context
  const side = await openWalletSide(context)
  const users = await tenant.addNewcomers(WALLETS)
  for (let first = 0; first < WALLETS; first += CALLS_AT_ONCE) {
    await Promise.all(users.slice(first, first + CALLS_AT_ONCE).map((userId) => makeWallet(context, { side, userId })))
  }
  say(`${WALLETS} wallets are pending; one worker starts`)
  const sandbox = await stage.start('sandbox')
  const worker = await stage.start('worker')
  await until(TIMEOUT_MS, async () => (await progressOf(side, users)).completed === WALLETS)
  const { seconds } = await progressOf(side, users)
  const response = await fetch(`${stage.config.operator.url}/wallets`)
  const { wallets, calls } = (await response.json()) as { wallets: unknown[]; calls: number }
  assert.equal(wallets.length, WALLETS, 'one wallet a user at the operator')
  await worker.stop()
  await sandbox.stop()
  return [
    `${WALLETS} wallets in ${seconds.toFixed(1)} s, ${(WALLETS / seconds).toFixed(0)} a second, ${calls} calls to the operator`,
    target(`under ${SECONDS_MAX} s`, seconds < SECONDS_MAX),
  ].join('\n')
}

async function makeWallet(
  { stage }: BenchContext,
  { side, userId }: { side: WalletSide; userId: string },
): Promise<void> {
  const { status, text } = await ask(stage.productUrl, createWallet(side.headersOf(userId)))
  assert.equal(status, 201, `create wallet returned ${status}: ${text}`)
}

/** Measured from the first wallet started to the last completed. */
const PROGRESS = statement(
  'bench_provisioned',
  `select (select count(*)::int from wallets
            where user_id = any ($1) and wallet_status = 'COMPLETED' and wallet_status_partner = 'ACTIVE') as completed,
          (select extract(epoch from max(at) filter (where to_status = 'COMPLETED')
                                   - min(at) filter (where to_status = 'IN_PROGRESS'))::float8
             from user_status_changes where user_id = any ($1)) as seconds`,
)

async function progressOf({ db }: WalletSide, users: string[]): Promise<{ completed: number; seconds: number }> {
  const [row] = await db.query<{ completed: number; seconds: number }>(PROGRESS, [users])
  assert(row)
  return row
}
