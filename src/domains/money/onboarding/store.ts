import { SCOPE_NAMES, scopeValues, USER_IS_IN_SCOPE, type UserScope } from '../../../access/scope.ts'
import { createDecoder } from '../../../kernel/db/columns.ts'
import { foundRow } from '../../../kernel/db/database.ts'
import { namedStatement } from '../../../kernel/db/named-statement.ts'
import { type Deps, recordedWrite } from '../../../record/index.ts'
import { LINKED_TO_USER } from '../../cover/policy-propagation/index.ts'
import { LINKED_ACCOUNT } from '../accounts/index.ts'
import { ACCOUNT_TYPES } from '../../partners/platforms/index.ts'
import { decodeUser, saveOnboarding, USER_COLUMNS } from '../../people/users/index.ts'

const FIND = namedStatement(
  'onboarding_find',
  SCOPE_NAMES,
  `select ${USER_COLUMNS}, l.default_account_type, ${LINKED_TO_USER.read.columns}
       from users u
       join platforms l on l.platform_id = u.platform_id
       left join ${LINKED_TO_USER.read.from} on true
      where u.user_id = :user_id and ${USER_IS_IN_SCOPE}`,
)

/** Writes the complete profile and the requested account together. */
export const COMPLETE_ONBOARDING = recordedWrite({
  name: 'onboarding_complete',
  ...saveOnboarding(LINKED_TO_USER.guard),
  linked: [LINKED_ACCOUNT, ...LINKED_TO_USER.linked],
  history: 'user',
})

const decodeAccountType = createDecoder(ACCOUNT_TYPES, 'account type')

/**
 * Returns a user with their platform's account type, and with their linked records, one row each. Throws 404 `not_found`
 * when the user is not in the caller's scope.
 */
export async function findOnboarding({ db, vault }: Deps, scope: UserScope) {
  const rows = await db.query<{ default_account_type: string }>(FIND, scopeValues(scope))
  const row = foundRow(rows)
  return { user: decodeUser(row, vault), accountType: decodeAccountType(row.default_account_type), linked: rows }
}
