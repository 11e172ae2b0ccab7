import { SCOPE_NAMES, scopeValues, USER_IS_IN_SCOPE, type UserScope } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { decoderOf } from '../../../kernel/db/decode.ts'
import { foundRow, type Queryable } from '../../../kernel/db/database.ts'
import { namedStatement } from '../../../kernel/db/named-statement.ts'
import { recordedWrite } from '../../../record/index.ts'
import { ACCOUNT_PART } from '../accounts/index.ts'
import { ACCOUNT_TYPES, type AccountType } from '../../partners/platforms/index.ts'
import { decodeUser, type Followers, saveOnboarding, type User, USER_COLUMNS } from '../../people/users/index.ts'

/** Read and write a user together with its followers. */
export type OnboardingStatements = ReturnType<typeof onboardingStatements>

/** Builds the statements of an onboarding; called once, when the route is mounted. */
export const onboardingStatements = ({ read, guard, parts }: Followers) => ({
  find: namedStatement(
    'onboarding_find',
    SCOPE_NAMES,
    `select ${USER_COLUMNS}, l.default_account_type, ${read.columns}
       from users u
       join platforms l on l.platform_id = u.platform_id
       left join ${read.from} on true
      where u.user_id = :user_id and ${USER_IS_IN_SCOPE}`,
  ),
  // Writes the complete profile and the requested account together.
  write: recordedWrite({
    name: 'onboarding_complete',
    ...saveOnboarding(guard),
    parts: [ACCOUNT_PART, ...parts],
    history: 'user',
  }),
})

const decodeAccountType = decoderOf(ACCOUNT_TYPES, 'account type')

/** A user with their platform's account type, and with their followers, one row each. */
export type Onboarding = { user: User; accountType: AccountType; followers: object[] }

/** Returns the data of an onboarding. Throws 404 `not_found` when the user is not in the caller's scope. */
export async function findOnboarding(
  { db, vault, find }: { db: Queryable; vault: Vault } & Pick<OnboardingStatements, 'find'>,
  scope: UserScope,
): Promise<Onboarding> {
  const rows = await db.query<{ default_account_type: string }>(find, scopeValues(scope))
  const row = foundRow(rows)
  return { user: decodeUser(row, vault), accountType: decodeAccountType(row.default_account_type), followers: rows }
}
