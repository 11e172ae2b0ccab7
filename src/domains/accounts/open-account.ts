import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Database } from '../../kernel/db/database.ts'
import { firstVersion } from '../../kernel/db/version.ts'
import { newId } from '../../kernel/id.ts'
import { conflict } from '../../kernel/problem-error.ts'
import { beginning, type By, type Change, type Recorded } from '../../record/index.ts'
import type { AccountType } from '../platforms/index.ts'
import type { User } from '../users/index.ts'
import { ACCOUNT_MACHINE } from './states.ts'
import { type Account, findOpening, INSERT_ACCOUNT, oneOfAType } from './store.ts'

type Input = { userId: string; accountType: AccountType }

/**
 * Asks for a further account of an onboarded user. Throws 404, 409 when there is one of this type or nobody to open it.
 */
export async function openAccount(
  { db, vault }: { db: Database; vault: Vault },
  { userId, accountType }: Input,
  by: By,
): Promise<Change<Account>> {
  const { user, isClosed } = await findOpening({ db, vault }, scopeOnUser(by.caller, userId))
  if (!user.isOnboarded) {
    const words = 'The user has not finished onboarding, so there is no bank to feed the account from.'
    throw conflict(words, { reason: 'inactive' })
  }
  if (isClosed) throw conflict('No account provider takes new accounts at present.', { reason: 'inactive' })
  const { account, ...recorded } = newAccount(user, accountType, by)
  return {
    result: account,
    write: INSERT_ACCOUNT,
    values: [account.userId, account.id, account.accountType, account.status, by.at],
    ...recorded,
    conflicts: oneOfAType(db, account),
  }
}

/** A new account, PENDING until the account provider has answered, and what its beginning leaves behind. */
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
