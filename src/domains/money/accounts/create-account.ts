import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import { locationOf } from '../../../kernel/http/param.ts'
import { OneOf, ref } from '../../../kernel/http/schemas.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { created, operation } from '../../../record/index.ts'
import { ACCOUNT_TYPES } from '../../partners/platforms/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { newAccount } from './new-account.ts'
import { AccountRecord, tags, versionOf } from './records.ts'
import { accountTypeConflict, findAccountOwner, INSERT_ACCOUNT, toNewAccountRow } from './store.ts'

export const createAccount = operation('POST /users/:user_id/accounts', {
  access: matrix.createAccount,
  tags,
  summary: 'Open an account',
  description:
    'Requests an account of this type from the account provider, fed by the bank account given at onboarding. It ' +
    'is PENDING until the provider confirms it, then ACTIVE. A user can have one account of each type.',
  params: UserPath,
  body: Type.Object({ account_type: OneOf(ACCOUNT_TYPES) }, { examples: [{ account_type: 'HSA' }] }),
  response: { 201: ref(AccountRecord) },
  problems: ['conflict'],
  checkTargetFirst: ensureUserInPath,
  decide: async ({ deps, request, body }, by) => {
    const { user, hasNoProvider } = await findAccountOwner(deps, userScopeFrom(request))
    if (!user.isOnboarded) throw notOnboarded()
    if (hasNoProvider) throw noProvider()
    const { account, ...recorded } = newAccount(user, body.account_type, by)
    return {
      result: account,
      ...INSERT_ACCOUNT.with(toNewAccountRow(account, by.at)),
      ...recorded,
      conflicts: accountTypeConflict(deps.db, account),
    }
  },
  present: (account, { request }) => created(locationOf(request, account.id), versionOf(account)),
})

const notOnboarded = () =>
  conflict('The user has not completed onboarding, so no bank account can feed the new one.', { reason: 'incomplete' })

const noProvider = () => conflict('No account provider is active. Try again later.', { reason: 'inactive' })
