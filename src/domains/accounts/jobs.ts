import assert from 'node:assert/strict'
import type { Caller } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../kernel/db/database.ts'
import type { UserId } from '../../kernel/db/decode.ts'
import { newId } from '../../kernel/id.ts'
import type { Job, RunnableJob } from '../../kernel/jobs/queue.ts'
import { findUser } from '../users/index.ts'
import type { AccountAnswer, Bank } from './bank.ts'
import { moveAccount } from './move-account.ts'
import { type Account, findAccount, listLongPending, lockAccount, updateAccount } from './store.ts'

type Data = { user_id: string; account_id: string }

/** Some twelve hours of tries; what is then still PENDING is queued again by `requeuePendingAccounts`. */
export const OPEN_ACCOUNT: Job<Data> = { name: 'open-account', retryLimit: 60, retryDelayMaxSeconds: 900 }

/** Longer than all tries of one job, so that two jobs for one account are rare (and harmless). */
const LONG_PENDING_SECONDS = 13 * 3600
const REQUEUED_AT_ONCE = 500

const caller: Caller = { kind: 'system', job: OPEN_ACCOUNT.name }
const everywhere = { platformId: null, providerId: null }

export function accountJobs(deps: Deps, bank: Bank): RunnableJob[] {
  return [{ job: OPEN_ACCOUNT, run: (data: Data) => askForAccount(deps, bank, data) }]
}

/**
 * Asks the account provider for the account and records the answer. No transaction is open while it is asked; running
 * twice opens one account, because the provider de-duplicates on the account's id.
 */
async function askForAccount({ db, vault }: Deps, bank: Bank, { user_id, account_id }: Data): Promise<void> {
  const scope = { ...everywhere, userId: user_id as UserId }
  const account = await findAccount(db, scope, account_id)
  if (account.status !== 'PENDING') return
  const { first_name, last_name, bank_details } = (await findUser(db, vault, scope)).profile
  assert(first_name !== undefined && last_name !== undefined && bank_details, 'an onboarded user has names and a bank')

  const answer = await bank.openAccount({
    reference: account_id,
    account_type: account.accountType,
    holder: { first_name, last_name },
    origin: bank_details,
  })
  const move = { userId: user_id, accountId: account_id, by: { caller, requestId: newId('job') } }
  await db.transaction(async (tx) => {
    const current = await lockAccount(tx, scope, account_id)
    if (current.status !== 'PENDING') return keepNumber(tx, current, answer)
    await (answer.outcome === 'opened'
      ? moveAccount(tx, vault, { ...move, status: 'ACTIVE', opened: answer })
      : moveAccount(tx, vault, { ...move, status: 'INACTIVE', reason: answer.reason }))
  })
}

/** Somebody gave the account up while the provider was asked: it stays given up, but its number there is not lost. */
async function keepNumber(tx: Tx, account: Account, answer: AccountAnswer): Promise<void> {
  if (answer.outcome !== 'opened' || account.externalAccountId !== null) return
  await updateAccount(tx, { ...account, externalAccountId: answer.external_account_id, ifscCode: answer.ifsc_code })
}

/** Queues again what no job is left for; part of the schedule. */
export async function requeuePendingAccounts({ db, queue }: Deps): Promise<void> {
  await db.transaction(async (tx) => {
    const stuck = await listLongPending(tx, { seconds: LONG_PENDING_SECONDS, limit: REQUEUED_AT_ONCE })
    for (const data of stuck) await queue.send(tx, OPEN_ACCOUNT, data)
  })
}
