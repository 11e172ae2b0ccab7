import type { Actor } from '../../../access/caller.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { newId } from '../../../kernel/id.ts'
import type { DataOf, Queue } from '../../../kernel/jobs/queue.ts'
import type { Log } from '../../../kernel/log.ts'
import type { Metrics } from '../../../kernel/metrics.ts'
import {
  applyWithRetry,
  type Author,
  type Decision,
  type Deps,
  type JobHandlers,
  OPEN_ACCOUNT,
  unchanged,
} from '../../../record/index.ts'
import { findUser } from '../../people/users/index.ts'
import type { AccountResponse, AccountProviderClient } from './account-provider-client.ts'
import { changeAccount, storeNumber } from './change-account.ts'
import { numberConflict, type TakenNumber } from './numbers-store.ts'
import type { OwnedAccount } from './records.ts'
import { chooseProvider, findAccount, listLongPending } from './store.ts'

type Data = DataOf<typeof OPEN_ACCOUNT>

/** Longer than all retries of a job, so that two jobs for an account are rare (and harmless). */
const LONG_PENDING_SECONDS = 13 * 3600
const REQUEUE_BATCH = 500

const TAKEN = 'account_numbers_taken_total'
export const ACCOUNT_METRICS = {
  [TAKEN]: {
    help:
      'Responses of an account provider with a number that another account has, at each try, and such accounts of an earlier ' +
      'version; the log line “an account number is taken” names both accounts',
  },
}

/** `reportTaken` counts and logs a number of a bank that another account has. */
export type AccountContext = Deps & { reportTaken: (taken: TakenNumber) => void }

export function takenReporter({ metrics, log }: { metrics: Metrics; log: Log }): AccountContext['reportTaken'] {
  const count = metrics.counter(TAKEN, ACCOUNT_METRICS[TAKEN].help)
  return (taken) => {
    count()
    log.warn(taken, 'an account number is taken')
  }
}

export const accountJobs = (
  deps: AccountContext,
  provider: AccountProviderClient,
): Pick<JobHandlers, 'open-account'> => ({
  'open-account': (data) => requestAccount(deps, provider, data),
})

/**
 * Requests the account from the account provider and records the response. Running twice opens one account, because the
 * provider deduplicates on the account's id.
 */
async function requestAccount(
  deps: AccountContext,
  provider: AccountProviderClient,
  { user_id, account_id }: Data,
): Promise<void> {
  const author: Actor = { caller: { kind: 'system', job: OPEN_ACCOUNT.name }, requestId: newId('job') }
  const scope = scopeOnUser(author.caller, user_id)
  const { account } = await findAccount(deps, scope, account_id)
  if (account.status !== 'PENDING') return
  if (account.providerId === null && !(await chooseProvider(deps.db, account)))
    throw new Error('no account provider is active; the account stays pending')
  const { first_name, last_name, bank_details } = (await findUser(deps.db, deps.vault, scope)).profile
  if (first_name === undefined || last_name === undefined || !bank_details)
    throw new Error('the user has no name or no bank account; the account stays pending') // a name removed by an early version

  const response = await provider.openAccount({
    reference: account_id,
    account_type: account.accountType,
    holder: { first_name, last_name },
    origin: bank_details,
  })
  await applyWithRetry(deps, author, async (now) => {
    const { account: current } = await findAccount(deps, scope, account_id)
    const decision = decideResponse(current, response, now)
    if (!decision.write || response.outcome === 'refused') return decision
    const opened = { number: response.external_account_id, providerId: current.providerId ?? '', accountId: account_id }
    return { ...decision, conflicts: numberConflict(deps.db, opened, deps.reportTaken) }
  })
}

/** An account deactivated while the provider was called stays INACTIVE, but its number at the provider is stored. */
function decideResponse(account: OwnedAccount, response: AccountResponse, author: Author): Decision<unknown> {
  if (account.status === 'PENDING') {
    return response.outcome === 'opened'
      ? changeAccount(account, { to: 'ACTIVE', opened: response }, author)
      : changeAccount(account, { to: 'INACTIVE', reason: response.reason }, author)
  }
  if (response.outcome === 'refused' || account.externalAccountId !== null) return unchanged(undefined)
  return storeNumber(account, response, author)
}

/** Queues pending accounts whose job was lost. Runs on a schedule. */
export async function requeuePendingAccounts({ db, queue }: Deps & { queue: Queue }): Promise<void> {
  const stuck = await listLongPending(db, { seconds: LONG_PENDING_SECONDS, limit: REQUEUE_BATCH })
  await queue.send(stuck.map((data) => ({ job: OPEN_ACCOUNT.name, data })))
}
