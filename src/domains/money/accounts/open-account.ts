import { scopeOnUser } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { beginning, type By, type Change, type Recorded } from '../../../record/index.ts'
import type { AccountType } from '../../partners/platforms/index.ts'
import type { User } from '../../people/users/index.ts'
import { ACCOUNT_MACHINE } from './states.ts'
import { type Account, findAccountOwner, INSERT_ACCOUNT, accountTypeConflict } from './store.ts'

type Input = { userId: string; accountType: AccountType }

/**
 * Decides another account of an onboarded user. Throws 404, 409 when the user has one of this type or no account
 * provider is active.
 */
export async function openAccount(
  { db, vault }: { db: Database; vault: Vault },
  { userId, accountType }: Input,
  by: By,
): Promise<Change<Account>> {
  const { user, hasNoProvider } = await findAccountOwner({ db, vault }, scopeOnUser(by.caller, userId))
  if (!user.isOnboarded) {
    const detail = 'The user has not completed onboarding, so no bank account can feed the new one.'
    throw conflict(detail, { reason: 'inactive' })
  }
  if (hasNoProvider) throw conflict('No account provider is active. Try again later.', { reason: 'inactive' })
  const { account, ...recorded } = newAccount(user, accountType, by)
  return {
    result: account,
    write: INSERT_ACCOUNT,
    values: [account.userId, account.id, account.accountType, account.status, by.at],
    ...recorded,
    conflicts: accountTypeConflict(db, account),
  }
}

/** Returns a new account, PENDING until the account provider responds, with its history and events. */
export function newAccount(
  user: Pick<User, 'id' | 'platformId' | 'key'>,
  accountType: AccountType,
  by: By,
): Recorded & { account: Account } {
  const account: Account = {
    id: newId('acc'),
    userId: user.id,
    accountType,
    status: 'PENDING',
    externalAccountId: null,
    ifscCode: null,
    providerId: null, // chosen when it is written
    ...firstVersion(by.at),
  }
  return { account, ...beginning(ACCOUNT_MACHINE, { ...account, platformId: user.platformId, key: user.key }) }
}
