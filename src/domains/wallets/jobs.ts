import type { Deps } from '../../deps.ts'
import type { Job, Queue, RunnableJob } from '../../kernel/jobs/queue.ts'
import { type ProvisionContext, provisionWallet } from './provision-wallet.ts'
import { deleteOperatorEvents, takeUnfinished } from './store.ts'

type Data = { user_id: string }

/** More than the tries a wallet has; the wallet itself counts those that reached the operator. */
export const PROVISION_WALLET: Job<Data> = { name: 'provision-wallet', retryLimit: 1_000, retryDelayMaxSeconds: 600 }

/** Much longer than the longest pause between two tries, so that only what no job is left for is queued again. */
const UNFINISHED_SECONDS = 3 * 3_600
const REQUEUED_AT_ONCE = 500
const EVENTS_KEPT_SECONDS = 7 * 86_400

export function walletJobs(context: ProvisionContext): RunnableJob[] {
  return [{ job: PROVISION_WALLET, run: ({ user_id }: Data) => provisionWallet(context, user_id) }]
}

/** Queues again what no job is left for; part of the schedule. */
export async function requeueUnfinishedWallets({ db, queue }: Deps & { queue: Queue }): Promise<void> {
  const users = await takeUnfinished(db, { seconds: UNFINISHED_SECONDS, limit: REQUEUED_AT_ONCE })
  await queue.send(users.map((user_id) => ({ job: PROVISION_WALLET.name, data: { user_id } })))
}

/** Drops the ids of operator events that are too old to be sent again. */
export const deleteOldOperatorEvents = ({ db }: Deps) => deleteOperatorEvents(db, EVENTS_KEPT_SECONDS)
