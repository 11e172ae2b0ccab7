import { wireTime } from '../../../kernel/clock.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { invalidState } from '../../../kernel/problem-error.ts'
import { type Author, type Change, transition } from '../../../record/index.ts'
import type { AccountWithSince, OwnedAccount } from './records.ts'
import { ACCOUNT_MACHINE, type AccountStatus, canBe } from './states.ts'
import { LINKED_NUMBERS } from './numbers-store.ts'
import { UPDATE_ACCOUNT } from './store.ts'

/** An account as the provider has opened it. */
type Opened = { external_account_id: string; ifsc_code: string }

type Target = { to: AccountStatus; reason?: string | undefined; opened?: Opened }

/** Decides a transition of an account. Pure. Throws 409 `invalid_state`, 403. */
export function changeAccount(
  account: OwnedAccount,
  { to, reason, opened }: Target,
  author: Author,
): Change<AccountWithSince> {
  const { history, events } = transition(ACCOUNT_MACHINE, account, {
    to,
    who: author.caller.kind,
    reason,
    accepts: (other) => canBe(account, other),
  })
  const change = updateAccount(account, { status: to, opened }, author)
  // An account deactivated before the provider opened it has no number, so it cannot be active.
  if (to === 'ACTIVE' && change.result.account.externalAccountId === null) {
    const detail = 'The account cannot be ACTIVE: the account provider has not opened it. Request a new account.'
    throw invalidState({ current: account.status, allowed: [] }, detail)
  }
  return { ...change, history, events }
}

/** Decides to store the number of an account that was deactivated while the provider was called. */
export const storeNumber = (account: OwnedAccount, opened: Opened, author: Author): Change<unknown> =>
  updateAccount(account, { status: account.status, opened }, author)

function updateAccount(
  account: OwnedAccount,
  { status, opened }: { status: AccountStatus; opened: Opened | undefined },
  { at }: Author,
): Change<AccountWithSince> {
  const externalAccountId = opened?.external_account_id ?? account.externalAccountId
  const ifscCode = opened?.ifsc_code ?? account.ifscCode
  return {
    result: { account: { ...nextVersion(account, at), status, externalAccountId, ifscCode }, since: wireTime(at) },
    ...UPDATE_ACCOUNT.with({
      user_id: account.userId,
      account_id: account.id,
      revision: account.revision,
      status,
      external_account_id: externalAccountId,
      ifsc_code: ifscCode,
      has_number: opened ? true : null,
      at,
    }),
    ...(opened && { rows: LINKED_NUMBERS.rows([numberRow(account, opened)]) }),
  }
}

const numberRow = ({ id, userId, providerId }: OwnedAccount, { external_account_id }: Opened) => ({
  external_account_id,
  account_provider_id: providerId ?? '',
  user_id: userId,
  account_id: id,
})
