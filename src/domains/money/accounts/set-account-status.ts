import { scopeOnUser } from '../../../access/scope.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { invalidState } from '../../../kernel/problem-error.ts'
import {
  type By,
  type Change,
  type Decision,
  type StatusRequest,
  transition,
  unchanged,
} from '../../../record/index.ts'
import { versionOf } from './present.ts'
import { ACCOUNT_MACHINE, type AccountStatus } from './states.ts'
import {
  accountTypeConflict,
  type AccountWithSince,
  findAccount,
  type OwnedAccount,
  UPDATE_ACCOUNT,
  updateValues,
} from './store.ts'

type Context = { db: Queryable; vault: Vault }

type StatusInput = StatusRequest<AccountStatus> & { userId: string; accountId: string }

/** Decides a change of an account's status. Throws 404, 409 `invalid_state`, 409 `conflict`, 412. */
export async function setAccountStatus(
  context: Context,
  { userId, accountId, status, reason, ifMatch }: StatusInput,
  by: By,
): Promise<Decision<AccountWithSince>> {
  const found = await findAccount(context, scopeOnUser(by.caller, userId), accountId)
  const { account } = found
  checkFresh(ifMatch, () => versionOf(account))
  if (account.status === status) return unchanged(found)
  const change = changeAccount(account, { to: status, reason }, by)
  return { ...change, conflicts: accountTypeConflict(context.db, account) }
}

type Target = {
  to: AccountStatus
  reason?: string | undefined
  /** The account provider's response. */
  opened?: { external_account_id: string; ifsc_code: string }
}

/** Decides a transition of an account. Pure. Throws 409 `invalid_state`, 403. */
export function changeAccount(account: OwnedAccount, { to, reason, opened }: Target, by: By): Change<AccountWithSince> {
  const { history, events } = transition(ACCOUNT_MACHINE, account, { to, who: by.caller.kind, reason })
  const externalAccountId = opened?.external_account_id ?? account.externalAccountId
  // An account deactivated before the provider opened it has no number, so it cannot be active.
  if (to === 'ACTIVE' && externalAccountId === null) {
    const detail = 'The account cannot be ACTIVE: the account provider has not opened it. Request a new account.'
    throw invalidState({ current: account.status, allowed: [] }, detail)
  }
  const ifscCode = opened?.ifsc_code ?? account.ifscCode
  return { ...updateAccount({ ...account, status: to, externalAccountId, ifscCode }, by), history, events }
}

/** Decides to store the number of an account that was deactivated while the provider was called. */
export const storeNumber = (
  account: OwnedAccount,
  opened: { external_account_id: string; ifsc_code: string },
  by: By,
): Change<unknown> =>
  updateAccount({ ...account, externalAccountId: opened.external_account_id, ifscCode: opened.ifsc_code }, by)

function updateAccount(changed: OwnedAccount, by: By): Change<AccountWithSince> {
  const account = nextVersion(changed, by.at)
  return {
    result: { account, since: wireTime(by.at) },
    write: UPDATE_ACCOUNT,
    values: updateValues(account, by.at),
  }
}
