import type { Queryable } from '../../../kernel/db/database.ts'
import type { DepositKey } from './records.ts'
import { listOrphaned, verifyDepositsAfter } from './verify-store.ts'

/** Small, because a single deposit can have many entries. */
const BATCH = 50

type DepositReport = { deposits: number; wrong: DepositKey[] }

/** Verifies that the balance of each deposit is the sum of its entries, in batches, and that no entry is of a deposit that is gone. */
export async function verifyDeposits(db: Queryable): Promise<DepositReport> {
  const report: DepositReport = { deposits: 0, wrong: await listOrphaned(db) }
  let after = { sponsorId: '', benefitProviderId: '' }
  for (;;) {
    const batch = await verifyDepositsAfter(db, after, BATCH)
    for (const { sponsorId, benefitProviderId, isWrong } of batch) {
      after = { sponsorId, benefitProviderId }
      report.deposits++
      if (isWrong) report.wrong.push(after)
    }
    if (batch.length < BATCH) return report
  }
}
