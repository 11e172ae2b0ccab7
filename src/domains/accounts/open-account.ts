import type { Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import type { Queue } from '../../kernel/jobs/queue.ts'
import { conflict } from '../../kernel/refusal.ts'
import { recordAndTellUserMove } from '../events/index.ts'
import type { AccountType } from '../platforms/index.ts'
import { lockUser, type User } from '../users/index.ts'
import { OPEN_ACCOUNT } from './jobs.ts'
import { type Account, insertAccount } from './store.ts'

type Opening = { user: User; accountType: AccountType; by: Actor }

/** Records an account as PENDING and queues the job that asks the account provider for it. 409 when there is one of this type. */
export async function openAccount(tx: Tx, queue: Queue, { user, accountType, by }: Opening): Promise<Account> {
  const account = await insertAccount(tx, { userId: user.id, accountType })
  await recordAndTellUserMove(
    tx,
    { userId: user.id, platformId: user.platformId },
    {
      type: 'account.status_changed',
      idName: 'account_id',
      entityId: account.id,
      from: null,
      to: 'PENDING',
      by,
    },
  )
  await queue.send(tx, OPEN_ACCOUNT, { user_id: user.id, account_id: account.id })
  return account
}

type Form = { userId: string; accountType: AccountType; by: Actor }

/** A further account of an onboarded user. 404, 409. */
export async function openFurtherAccount(
  tx: Tx,
  kit: { vault: Vault; queue: Queue },
  { userId, accountType, by }: Form,
): Promise<Account> {
  const user = await lockUser(tx, kit.vault, scopeOnUser(by.caller, userId))
  if (!user.isOnboarded)
    throw conflict('The user has not finished onboarding, so there is no bank to feed the account from.')
  return openAccount(tx, kit.queue, { user, accountType, by })
}
