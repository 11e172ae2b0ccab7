import type { Queue } from '../../../kernel/jobs/queue.ts'
import { PROVISION_WALLET } from '../../../record/index.ts'
import { askOperator, type ProvisionContext, provisionWallet } from './provision-wallet.ts'
import { existingWallet, claimUnfinished } from './store.ts'

/**
 * Probes the operator when its circuit is half open, with the wallet unfinished for longest, and retries all waiting
 * jobs when it has recovered. Picks another wallet each time, because the operator may be unable to serve a particular
 * one. For a wallet that was tried before, nothing is written and no try is counted: a long outage must not use up the
 * tries.
 */
export async function probeOperator(context: ProvisionContext & { queue: Queue }): Promise<void> {
  const { db, operator, queue } = context
  if (!operator.isHalfOpen()) return
  const [userId] = await claimUnfinished(db, { seconds: 0, limit: 1 })
  if (userId === undefined) return
  const wallet = await existingWallet(db, userId)
  const probe = wallet.mayBeHeld ? askOperator(context, wallet) : provisionWallet(context, userId)
  await probe.catch(() => {}) // the circuit breaker has counted it
  if (!operator.isHalfOpen() && !operator.isCircuitOpen()) await queue.retryNow(PROVISION_WALLET.name)
}
