import { Type } from 'typebox'
import { requireConsent } from '../../../access/consent-rules.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import { firstVersion } from '../../../kernel/db/version.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { OneOf } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { type Author, created, initialTransition, operation } from '../../../record/index.ts'
import { ACCOUNT_TYPES, type AccountType } from '../../partners/platforms/index.ts'
import { ensureUserInPath, type User, UserPath } from '../../people/users/index.ts'
import { type Account, AccountRecord, tags, versionOf } from './records.ts'
import { ACCOUNT_MACHINE } from './states.ts'
import { accountTypeConflict, findAccountOwner, INSERT_ACCOUNT } from './store.ts'

export const createAccount = operation('POST /users/:user_id/accounts', {
  access: 'createAccount',
  tags,
  summary: 'Open an account',
  description:
    'Requests an account of this type from the account provider, fed by the bank account given at onboarding. It ' +
    'is PENDING until the provider confirms it, then ACTIVE. A user can have one account of each type.',
  params: UserPath,
  body: Type.Object({ account_type: OneOf(ACCOUNT_TYPES) }, { examples: [{ account_type: 'HSA' }] }),
  versioned: true,
  response: { 201: AccountRecord },
  problems: ['conflict'],
  checkTargetFirst: ensureUserInPath,
  change: async ({ deps, request, body }, author) => {
    const { user, hasNoProvider } = await findAccountOwner(deps, userScopeFrom(request))
    if (!user.isOnboarded) throw notOnboarded()
    if (hasNoProvider) throw noProvider()
    await requireConsent(deps, 'createAccount', { userId: user.id, platformId: user.platformId, at: author.at })
    const { account, row, ...recorded } = newAccount(user, body.account_type, author)
    const conflicts = accountTypeConflict(deps.db, account)
    return { result: account, ...INSERT_ACCOUNT.with(row), ...recorded, conflicts }
  },
  present: (account, { request }) => created(createLocation(request, account.id), versionOf(account)),
})

/** A new account, PENDING until the account provider responds, with its row, history and events. */
export function newAccount(user: User, accountType: AccountType, author: Author) {
  const account: Account = {
    id: newId('acc'),
    userId: user.id,
    accountType,
    status: 'PENDING',
    externalAccountId: null,
    ifscCode: null,
    providerId: null, // chosen when it is written
    ...firstVersion(author.at),
  }
  const { id, userId, status } = account
  return {
    account,
    row: { user_id: userId, account_id: id, account_type: accountType, status, at: author.at },
    ...initialTransition(ACCOUNT_MACHINE, { ...account, platformId: user.platformId, key: user.key }),
  }
}

const notOnboarded = () =>
  conflict('The user has not completed onboarding, so no bank account can feed the new one.', { reason: 'incomplete' })

const noProvider = () => conflict('No account provider is active. Try again later.', { reason: 'inactive' })
