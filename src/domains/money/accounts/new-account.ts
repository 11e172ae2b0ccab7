import { firstVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { initialTransition, type By, type Recorded } from '../../../record/index.ts'
import type { AccountType } from '../../partners/platforms/index.ts'
import type { User } from '../../people/users/index.ts'
import type { Account } from './records.ts'
import { ACCOUNT_MACHINE } from './states.ts'

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
  return { account, ...initialTransition(ACCOUNT_MACHINE, { ...account, platformId: user.platformId, key: user.key }) }
}
