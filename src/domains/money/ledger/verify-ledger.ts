import type { Database } from '../../../kernel/db/database.ts'
import { countWallets, verifyBatch } from './store.ts'

/** Small, because a single wallet can have a long history. */
const BATCH = 50
const PROGRESS_EVERY = 1_000

type LedgerReport = { wallets: number; transactions: number; wrong: string[] }

/** Verifies every balance against its entries, in batches. Calls `onProgress` with the number of wallets done. */
export async function verifyLedger(
  db: Database,
  onProgress: (wallets: number, all: number) => void,
): Promise<LedgerReport> {
  const all = await countWallets(db)
  const report: LedgerReport = { wallets: 0, transactions: 0, wrong: [] }
  for (let after = ''; ; ) {
    const batch = await verifyBatch(db, after, BATCH)
    for (const { user_id, transactions, is_wrong } of batch) {
      report.wallets++
      report.transactions += transactions
      if (is_wrong) report.wrong.push(user_id)
      after = user_id
    }
    if (batch.length < BATCH) return report
    if (report.wallets % PROGRESS_EVERY === 0) onProgress(report.wallets, all)
  }
}
