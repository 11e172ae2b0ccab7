import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Queryable } from '../../kernel/db/database.ts'
import { wireTime } from '../../kernel/clock.ts'
import { nextVersion } from '../../kernel/db/version.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { invalidState } from '../../kernel/problem-error.ts'
import { type By, type Change, type Decision, transition, unchanged } from '../../record/index.ts'
import { versionOf } from './present.ts'
import { ACCOUNT_MACHINE, type AccountStatus } from './states.ts'
import {
  findAccount,
  oneOfAType,
  type OwnedAccount,
  type AccountStanding,
  UPDATE_ACCOUNT,
  updateValues,
} from './store.ts'

type Context = { db: Queryable; vault: Vault }

type StatusInput = {
  userId: string
  accountId: string
  status: AccountStatus
  reason?: string | undefined
  ifMatch: string | undefined
}

/** Changes the status of an account. Throws 404, 409 `invalid_state`, 409 `conflict`, 412. */
export async function setAccountStatus(
  context: Context,
  { userId, accountId, status, reason, ifMatch }: StatusInput,
  by: By,
): Promise<Decision<AccountStanding>> {
  const standing = await findAccount(context, scopeOnUser(by.caller, userId), accountId)
  const { account } = standing
  checkFresh(ifMatch, () => versionOf(account))
  if (account.status === status) return unchanged(standing)
  const change = changeAccount(account, { to: status, reason }, by)
  return { ...change, conflicts: oneOfAType(context.db, account) }
}

type Target = {
  to: AccountStatus
  reason?: string | undefined
  /** What the account provider answered. */
  opened?: { external_account_id: string; ifsc_code: string }
}

/** Decides a transition of an account. Pure; throws 409 `invalid_state`, 403. */
export function changeAccount(account: OwnedAccount, { to, reason, opened }: Target, by: By): Change<AccountStanding> {
  const { history, events } = transition(ACCOUNT_MACHINE, account, { to, who: by.caller.kind, reason })
  const externalAccountId = opened?.external_account_id ?? account.externalAccountId
  // One that was given up before the provider opened it has no number and nothing to activate.
  if (to === 'ACTIVE' && externalAccountId === null) throw invalidState({ current: account.status, allowed: [] })
  const ifscCode = opened?.ifsc_code ?? account.ifscCode
  return { ...saved({ ...account, status: to, externalAccountId, ifscCode }, by), history, events }
}

/** Keeps the number of an account that was given up while the provider was asked. */
export const keepNumber = (
  account: OwnedAccount,
  opened: { external_account_id: string; ifsc_code: string },
  by: By,
): Change<unknown> =>
  saved({ ...account, externalAccountId: opened.external_account_id, ifscCode: opened.ifsc_code }, by)

function saved(changed: OwnedAccount, by: By): Change<AccountStanding> {
  const account = nextVersion(changed, by.at)
  return {
    result: { account, since: wireTime(by.at) },
    write: UPDATE_ACCOUNT,
    values: updateValues(account, by.at),
  }
}
