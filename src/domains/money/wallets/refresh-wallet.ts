import { userScopeFrom } from '../../../access/scope.ts'
import { unavailable } from '../../../kernel/problem-error.ts'
import { type Author, type Change, changed, type Deps, operationIn } from '../../../record/index.ts'
import { UserPath } from '../../people/users/index.ts'
import { invalidWalletState } from './change-wallet.ts'
import { applyAskedStatus, type StatusResponse } from './apply-operator-status.ts'
import type { Operator } from './operator.ts'
import { tags, versionOf, type Wallet, WalletRecord } from './records.ts'
import { findWalletInScope } from './store.ts'
import { NOTE_REFRESH } from './sweep-store.ts'

export const refreshWallet = operationIn<Deps & { operator: Operator }>()('POST /users/:user_id/wallet/refresh', {
  access: 'refreshWallet',
  tags,
  summary: 'Ask the operator for the status of a wallet',
  description:
    'Asks the operator now, and stores its status where it differs from what its events reported. Every wallet is asked for ' +
    'within a day anyway. 503 when the operator gives no definite response.',
  params: UserPath,
  versioned: true,
  response: { 200: WalletRecord },
  problems: ['not_found', 'invalid_state'],
  checkTargetFirst: ({ deps, request }) => findWalletInScope(deps.db, userScopeFrom(request)),
  prepare: async ({ deps, request }) =>
    askOperatorFor(await findWalletInScope(deps.db, userScopeFrom(request)), deps, request.caller),
  serializeBy: ({ params }) => params.user_id,
  change: async ({ deps, request, prepared }, author) =>
    decideRefresh(await findWalletInScope(deps.db, userScopeFrom(request)), prepared, author),
  present: (wallet) => changed(versionOf(wallet)),
})

async function askOperatorFor(
  before: Wallet,
  { operator }: { operator: Operator },
  caller: Author['caller'],
): Promise<StatusResponse> {
  if (before.status !== 'COMPLETED')
    throw invalidWalletState(before, caller, 'Only a COMPLETED wallet is held by the operator.')
  const reported = await operator.findWallet(before.id).catch((error: unknown) => {
    throw unavailable(error)
  })
  if (!reported) throw invalidWalletState(before, caller, 'The operator does not know this wallet.')
  return { before, reported }
}

function decideRefresh(wallet: Wallet, asked: StatusResponse, author: Author): Change<Wallet> {
  const change = applyAskedStatus(wallet, asked, author)
  return change.write ? change : { result: wallet, ...NOTE_REFRESH.with({}) }
}
