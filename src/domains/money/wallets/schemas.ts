import { Type } from 'typebox'
import { UserIdText } from '../../user-id-text.ts'
import { OneOf, PathId, record, ref } from '../../../kernel/http/schemas.ts'
import { UserPath } from '../../people/users/index.ts'
import { PARTNER_STATUSES, WALLET_STATUSES } from './states.ts'

export const Wallet = record(
  'Wallet',
  {
    partner_wallet_id: Type.String(),
    user_id: UserIdText(),
    balance: Type.Integer({ description: 'Paise' }),
    created: Type.Boolean({ description: 'True if this request created the wallet' }),
    wallet_status: OneOf(WALLET_STATUSES, { description: 'Provisioning status' }),
    wallet_status_partner: OneOf(PARTNER_STATUSES, { description: 'The operator’s status; UNKNOWN until provisioned' }),
  },
  {
    description: 'A wallet, held by the operator',
    examples: [
      {
        partner_wallet_id: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2',
        user_id: '012345678901',
        balance: 0,
        created: true,
        wallet_status: 'PENDING',
        wallet_status_partner: 'UNKNOWN',
      },
    ],
  },
)

const WalletStatusRecord = record(
  'WalletStatus',
  { wallet_id: Type.String(), wallet_status: OneOf(WALLET_STATUSES) },
  {
    description: 'Provisioning status of a wallet',
    examples: [{ wallet_id: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2', wallet_status: 'COMPLETED' }],
  },
)

export const records = [Wallet, WalletStatusRecord]

const tags = ['Wallet']

export const createWalletSchema = {
  tags,
  summary: 'Create the wallet',
  description:
    'A user has one wallet. Returns 201 and `created: true` when the call created it, 200 and `created: false` ' +
    'when it existed. A FAILED wallet is provisioned again. Only the user creates a wallet, after signing in with a ' +
    'one-time code: a platform cannot.',
  response: { 200: ref(Wallet), 201: ref(Wallet) },
}

export const readWalletSchema = {
  tags,
  summary: 'Read the wallet',
  description: 'Returns the caller’s wallet, or 404 until it is created.',
  response: { 200: ref(Wallet) },
}

export const readUserWalletSchema = {
  tags,
  summary: 'Read the wallet of a user',
  description:
    'Returns the wallet with its balance, for platforms that credit it, or 404 until the user has created it with `POST /wallet/v1/wallet`.',
  params: UserPath,
  response: { 200: ref(Wallet) },
}

export const retryWalletSchema = {
  tags,
  summary: 'Provision a wallet again',
  description: 'Sets a FAILED wallet back to PENDING and provisions it again, with the same wallet id.',
  params: UserPath,
  response: { 200: ref(Wallet) },
}

export const readWalletStatusSchema = {
  tags,
  summary: 'Read the status of a wallet',
  description: 'Returns the provisioning status. `wallet_id` is the `partner_wallet_id` of the wallet.',
  params: Type.Object({ wallet_id: PathId('The `partner_wallet_id`') }),
  response: { 200: ref(WalletStatusRecord) },
}

export const receiveOperatorEventSchema = {
  tags,
  summary: 'Receive a status from the operator',
  description:
    'Signed by the operator. Signatures older than five minutes are rejected. A repeated event, or one with an ' +
    'older `sequence`, changes nothing.',
  body: Type.Object(
    {
      event_id: Type.String({ minLength: 1, maxLength: 100 }),
      reference: Type.String({ minLength: 1, maxLength: 100, description: 'The `partner_wallet_id`' }),
      status: OneOf(['ACTIVE', 'BLOCKED']),
      sequence: Type.Integer({ minimum: 0, description: 'Increases with every change of the wallet' }),
    },
    {
      examples: [
        { event_id: 'op-evt-17', reference: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2', status: 'BLOCKED', sequence: 2 },
      ],
    },
  ),
  response: {
    200: Type.Object(
      { received: Type.Boolean({ description: 'False if the event was received before' }) },
      { examples: [{ received: true }] },
    ),
  },
}
