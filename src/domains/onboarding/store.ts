import { scopeValues, userIsInScope, type UserScope } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import { decoderOf } from '../../kernel/db/decode.ts'
import { foundRow, type Queryable, statement } from '../../kernel/db/database.ts'
import { recordedWrite } from '../../record/index.ts'
import { ACCOUNT_PART } from '../accounts/index.ts'
import { ACCOUNT_TYPES, type AccountType } from '../platforms/index.ts'
import { decodeUser, SAVE_ONBOARDING, type User, USER_COLUMNS } from '../users/index.ts'

const FIND = statement(
  'onboarding_find',
  `select ${USER_COLUMNS}, l.default_account_type
     from users u
     join platforms l on l.platform_id = u.platform_id
    where u.user_id = $1 and ${userIsInScope({ user: '$1', platform: '$2', provider: '$3' })}`,
)

/** Writes the complete profile and the requested account together. */
export const COMPLETE_ONBOARDING = recordedWrite({
  name: 'onboarding_complete',
  one: SAVE_ONBOARDING,
  parts: [ACCOUNT_PART],
  history: 'user',
})

const decodeAccountType = decoderOf(ACCOUNT_TYPES, 'account type')

/**
 * Returns a user and their platform's account type. Throws 404 `not_found` when the user is not in the caller's scope.
 */
export async function findOnboarding(
  { db, vault }: { db: Queryable; vault: Vault },
  scope: UserScope,
): Promise<{ user: User; accountType: AccountType }> {
  const row = foundRow(await db.query<{ default_account_type: string }>(FIND, scopeValues(scope)))
  return { user: decodeUser(row, vault), accountType: decodeAccountType(row.default_account_type) }
}
