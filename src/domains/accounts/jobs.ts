import assert from 'node:assert/strict'
import type { Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../kernel/id.ts'
import type { Job, Queue, RunnableJob } from '../../kernel/jobs/queue.ts'
import { type By, commit, type Decision, unchanged } from '../../record/index.ts'
import { findUser } from '../users/index.ts'
import type { AccountResponse, AccountProviderClient } from './account-provider-client.ts'
import { changeAccount, keepNumber } from './set-account-status.ts'
import { chooseProvider, findAccount, listLongPending, type OwnedAccount } from './store.ts'

type Data = { user_id: string; account_id: string }

/** Some twelve hours of tries; what is then still PENDING is queued again by `requeuePendingAccounts`. */
export const OPEN_ACCOUNT: Job<Data> = { name: 'open-account', retryLimit: 60, retryDelayMaxSeconds: 900 }

/** Longer than all tries of one job, so that two jobs for one account are rare (and harmless). */
const LONG_PENDING_SECONDS = 13 * 3600
const REQUEUED_AT_ONCE = 500

export function accountJobs(deps: Deps, provider: AccountProviderClient): RunnableJob[] {
  return [{ job: OPEN_ACCOUNT, run: (data: Data) => askForAccount(deps, provider, data) }]
}

/**
 * Asks the account provider for the account and records the response. Running twice opens one account, because the provider
 * de-duplicates on the account's id.
 */
async function askForAccount(
  deps: Deps,
  provider: AccountProviderClient,
  { user_id, account_id }: Data,
): Promise<void> {
  const by: Actor = { caller: { kind: 'system', job: OPEN_ACCOUNT.name }, requestId: newId('job') }
  const scope = scopeOnUser(by.caller, user_id)
  const { account } = await findAccount(deps, scope, account_id)
  if (account.status !== 'PENDING') return
  if (account.providerId === null && !(await chooseProvider(deps.db, account)))
    throw new Error('no account provider is active; the account waits for one')
  const { first_name, last_name, bank_details } = (await findUser(deps.db, deps.vault, scope)).profile
  assert(first_name !== undefined && last_name !== undefined && bank_details, 'an onboarded user has names and a bank')

  const response = await provider.openAccount({
    reference: account_id,
    account_type: account.accountType,
    holder: { first_name, last_name },
    origin: bank_details,
  })
  await commit(deps, by, async (now) =>
    afterResponse((await findAccount(deps, scope, account_id)).account, response, now),
  )
}

/** Somebody may have given the account up while the provider was asked: it stays given up, but its number there is not lost. */
function afterResponse(account: OwnedAccount, response: AccountResponse, by: By): Decision<unknown> {
  if (account.status === 'PENDING') {
    return response.outcome === 'opened'
      ? changeAccount(account, { to: 'ACTIVE', opened: response }, by)
      : changeAccount(account, { to: 'INACTIVE', reason: response.reason }, by)
  }
  if (response.outcome === 'refused' || account.externalAccountId !== null) return unchanged(undefined)
  return keepNumber(account, response, by)
}

/** Queues again what no job is left for; part of the schedule. */
export async function requeuePendingAccounts({ db, queue }: Deps & { queue: Queue }): Promise<void> {
  const stuck = await listLongPending(db, { seconds: LONG_PENDING_SECONDS, limit: REQUEUED_AT_ONCE })
  await queue.send(stuck.map((data) => ({ job: OPEN_ACCOUNT.name, data })))
}
