import { userScopeFrom } from '../../../access/scope.ts'
import { type By, type Change, changed, operation } from '../../../record/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { invalidWalletState, restartProvisioning } from './change-wallet.ts'
import { tags, versionOf, type Wallet, WalletRecord } from './records.ts'
import { findWalletInScope } from './store.ts'

export const retryWallet = operation('POST /users/:user_id/wallet/retry', {
  access: 'retryWallet',
  tags,
  summary: 'Provision a wallet again',
  description: 'Sets a FAILED wallet back to PENDING and provisions it again, with the same wallet id.',
  params: UserPath,
  versioned: true,
  response: { 200: WalletRecord },
  problems: ['not_found', 'invalid_state'],
  checkTargetFirst: ({ deps, request }) => findWalletInScope(deps.db, userScopeFrom(request)),
  serializeBy: ({ params }) => params.user_id,
  decide: async ({ deps, request }, by) => decideRetry(await findWalletInScope(deps.db, userScopeFrom(request)), by),
  present: (wallet) => changed(versionOf(wallet)),
})

function decideRetry(wallet: Wallet, by: By): Change<Wallet> {
  if (wallet.status === 'FAILED') return restartProvisioning(wallet, by)
  throw invalidWalletState(wallet, by.caller, `Only a FAILED wallet is retried; this one is ${wallet.status}.`)
}
