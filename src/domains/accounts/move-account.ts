import type { Actor } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Vault } from '../../kernel/crypto/vault.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { checkFresh } from '../../kernel/http/conditional.ts'
import { invalidState } from '../../kernel/refusal.ts'
import { findMove } from '../../kernel/state-machine.ts'
import { recordAndTellUserMove } from '../events/index.ts'
import { findUser } from '../users/index.ts'
import { versionOf } from './present.ts'
import { ACCOUNT_MOVES, type AccountStatus } from './states.ts'
import { type Account, lockAccount, updateAccount } from './store.ts'

type Move = {
  userId: string
  accountId: string
  status: AccountStatus
  reason?: string | undefined
  ifMatch?: string | undefined
  by: Actor
  /** What the account provider answered, with the move that its answer makes. */
  opened?: { external_account_id: string; ifsc_code: string }
}

/** Moves an account along its state table, with history and event. 404, 409 `invalid_state`, 412. */
export async function moveAccount(
  tx: Tx,
  vault: Vault,
  move: Move,
): Promise<{ account: Account; from: AccountStatus }> {
  const scope = scopeOnUser(move.by.caller, move.userId)
  const user = await findUser(tx, vault, scope)
  const account = await lockAccount(tx, scope, move.accountId)
  checkFresh(move.ifMatch, () => versionOf(account))
  findMove(ACCOUNT_MOVES, { from: account.status, to: move.status, who: move.by.caller.kind })
  const externalAccountId = move.opened?.external_account_id ?? account.externalAccountId
  // One that was given up before the provider opened it has no number and nothing to activate.
  if (move.status === 'ACTIVE' && externalAccountId === null)
    throw invalidState({ current: account.status, allowed: [] })
  await recordAndTellUserMove(
    tx,
    { userId: user.id, platformId: user.platformId },
    {
      type: 'account.status_changed',
      idName: 'account_id',
      entityId: account.id,
      from: account.status,
      to: move.status,
      by: move.by,
      reason: { text: move.reason, key: user.key },
    },
  )
  const ifscCode = move.opened?.ifsc_code ?? account.ifscCode
  const moved = await updateAccount(tx, { ...account, status: move.status, externalAccountId, ifscCode })
  return { account: moved, from: account.status }
}
