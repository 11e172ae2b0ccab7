import { scopeOnUser } from '../../../access/scope.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { invalidState } from '../../../kernel/problem-error.ts'
import { allowedTransitions, type By, type Change } from '../../../record/index.ts'
import { restartProvisioning } from './create-wallet.ts'
import { WALLET_TRANSITIONS } from './states.ts'
import { findWalletInScope, type Wallet } from './store.ts'

/** Decides to provision a FAILED wallet again. Throws 404, 409 `invalid_state` in any other state. */
export async function retryWallet(db: Queryable, userId: string, by: By): Promise<Change<Wallet>> {
  const wallet = await findWalletInScope(db, scopeOnUser(by.caller, userId))
  if (wallet.status === 'FAILED') return restartProvisioning(wallet, by)
  const allowed = allowedTransitions(WALLET_TRANSITIONS, { from: wallet.status, who: by.caller.kind })
  throw invalidState(
    { current: wallet.status, allowed },
    `Only a FAILED wallet is retried; this one is ${wallet.status}.`,
  )
}
