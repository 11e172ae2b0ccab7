import { Type } from 'typebox'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { OneOf, PathId, record } from '../../../kernel/http/schemas.ts'
import { notFound } from '../../../kernel/problem-error.ts'
import { operation } from '../../../record/index.ts'
import { ownerFrom, tags } from './records.ts'
import { WALLET_STATUSES } from './states.ts'
import { findWallet } from './store.ts'

const WalletStatusRecord = record(
  'WalletStatus',
  { wallet_id: Type.String(), wallet_status: OneOf(WALLET_STATUSES) },
  {
    description: 'Provisioning status of a wallet',
    examples: [{ wallet_id: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2', wallet_status: 'COMPLETED' }],
  },
)

export const readWalletStatus = operation('GET /wallet/:wallet_id/status', {
  access: 'readWalletStatus',
  tags,
  summary: 'Read the status of a wallet',
  description: 'Returns the provisioning status. `wallet_id` is the `partner_wallet_id` of the wallet.',
  params: Type.Object({ wallet_id: PathId('The `partner_wallet_id`') }),
  versioned: true,
  response: { 200: WalletStatusRecord },
  isBatched: true,
  target: async ({ deps, request, params }) => {
    const wallet = await findWallet(deps.db, ownerFrom(request).userId)
    if (wallet?.id !== params.wallet_id) throw notFound()
    return wallet
  },
  read: (call) => {
    const { id, status, revision } = call.target
    return sendRecord(call, { record: { wallet_id: id, wallet_status: status }, revision })
  },
})
