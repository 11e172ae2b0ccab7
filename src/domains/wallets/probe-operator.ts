import type { Queue } from '../../kernel/jobs/queue.ts'
import { PROVISION_WALLET } from './jobs.ts'
import { askOperator, type ProvisionContext, provisionWallet } from './provision-wallet.ts'
import { existingWallet, takeUnfinished } from './store.ts'

/**
 * Asks an operator that was left alone whether it is back, for the wallet that has waited longest, and has all that wait run
 * when it is. Another wallet each time, so that one which the operator cannot serve does not stand for all. For a wallet that was
 * tried before nothing is written, and it counts as no try: a long outage must not use the tries up.
 */
export async function probeOperator(context: ProvisionContext & { queue: Queue }): Promise<void> {
  const { db, operator, queue } = context
  if (!operator.isHalfOpen()) return
  const [userId] = await takeUnfinished(db, { seconds: 0, limit: 1 })
  if (userId === undefined) return
  const wallet = await existingWallet(db, userId)
  const asking = wallet.mayBeHeld ? askOperator(context, wallet) : provisionWallet(context, userId)
  await asking.catch(() => {}) // its circuit knows
  if (!operator.isHalfOpen() && !operator.isCircuitOpen()) await queue.hurry(PROVISION_WALLET.name)
}
