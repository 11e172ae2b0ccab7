import { requireConsent } from '../../../access/consent-rules.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import { type Author, type Change, changed, operation } from '../../../record/index.ts'
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
  problems: ['not_found', 'invalid_state', 'conflict'],
  checkTargetFirst: ({ deps, request }) => findWalletInScope(deps.db, userScopeFrom(request)),
  serializeBy: ({ params }) => params.user_id,
  change: async ({ deps, request }, author) => {
    const wallet = await findWalletInScope(deps.db, userScopeFrom(request))
    const change = decideRetry(wallet, author)
    await requireConsent(deps, 'retryWallet', { ...wallet, at: author.at })
    return change
  },
  present: (wallet) => changed(versionOf(wallet)),
})

function decideRetry(wallet: Wallet, author: Author): Change<Wallet> {
  if (wallet.status === 'FAILED') return restartProvisioning(wallet, author)
  throw invalidWalletState(wallet, author.caller, `Only a FAILED wallet is retried; this one is ${wallet.status}.`)
}
