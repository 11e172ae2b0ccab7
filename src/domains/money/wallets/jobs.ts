import type { Deps } from '../../../deps.ts'
import type { DataOf, Queue, RunnableJob } from '../../../kernel/jobs/queue.ts'
import { PROVISION_WALLET } from '../../../record/index.ts'
import { type ProvisionContext, provisionWallet } from './provision-wallet.ts'
import { claimUnfinished } from './store.ts'

/** Much longer than the longest backoff, so that only wallets whose job was lost are queued again. */
const UNFINISHED_SECONDS = 3 * 3_600
const REQUEUE_BATCH = 500

export function walletJobs(context: ProvisionContext): RunnableJob[] {
  return [
    { job: PROVISION_WALLET, run: ({ user_id }: DataOf<typeof PROVISION_WALLET>) => provisionWallet(context, user_id) },
  ]
}

/** Queues unfinished wallets whose job was lost. Runs on a schedule. */
export async function requeueUnfinishedWallets({ db, queue }: Deps & { queue: Queue }): Promise<void> {
  const users = await claimUnfinished(db, { seconds: UNFINISHED_SECONDS, limit: REQUEUE_BATCH })
  await queue.send(users.map((user_id) => ({ job: PROVISION_WALLET.name, data: { user_id } })))
}
