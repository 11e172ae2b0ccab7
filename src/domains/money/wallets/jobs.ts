import type { Queue } from '../../../kernel/jobs/queue.ts'
import { type Deps, type JobHandlers, PROVISION_WALLET } from '../../../record/index.ts'
import { askOperator, type ProvisionContext, provisionWallet } from './provision-wallet.ts'
import { claimUnfinished, existingWallet } from './store.ts'

/** Much longer than the longest backoff, so that only wallets whose job was lost are queued again. */
const UNFINISHED_SECONDS = 3 * 3_600
const REQUEUE_BATCH = 500

export const walletJobs = (context: ProvisionContext): Pick<JobHandlers, 'provision-wallet'> => ({
  'provision-wallet': ({ user_id }) => provisionWallet(context, user_id),
})

/** Queues unfinished wallets whose job was lost. Runs on a schedule. */
export async function requeueUnfinishedWallets({ db, queue }: Deps & { queue: Queue }): Promise<void> {
  const users = await claimUnfinished(db, { seconds: UNFINISHED_SECONDS, limit: REQUEUE_BATCH })
  await queue.send(users.map((user_id) => ({ job: PROVISION_WALLET.name, data: { user_id } })))
}

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
