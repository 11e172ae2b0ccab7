import { Type } from 'typebox'
import { OneOf, PathId, record, ref } from '../../kernel/http/schemas.ts'
import { UserPath } from '../users/index.ts'
import { PARTNER_STATUSES, WALLET_STATUSES } from './states.ts'

export const Wallet = record(
  'Wallet',
  {
    partner_wallet_id: Type.String(),
    user_id: Type.String(),
    balance: Type.Integer({ description: 'Paise' }),
    created: Type.Boolean({ description: 'True in the response that made the wallet' }),
    wallet_status: OneOf(WALLET_STATUSES, { description: 'How far provisioning is' }),
    wallet_status_partner: OneOf(PARTNER_STATUSES, { description: 'The operator’s view; UNKNOWN until provisioned' }),
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
    description: 'How far provisioning is',
    examples: [{ wallet_id: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2', wallet_status: 'COMPLETED' }],
  },
)

export const records = [Wallet, WalletStatusRecord]

const tags = ['Wallet']

export const createWalletSchema = {
  tags,
  summary: 'Create the wallet',
  description:
    'A user has one wallet. 201 and `created: true` when this call made it, 200 and `created: false` when it was there. One whose provisioning FAILED is tried again.',
  response: { 200: ref(Wallet), 201: ref(Wallet) },
}

export const readWalletSchema = {
  tags,
  summary: 'Read the wallet',
  description: 'The wallet of the caller.',
  response: { 200: ref(Wallet) },
}

export const readUserWalletSchema = {
  tags,
  summary: 'Read the wallet of a user',
  description: 'As its user sees it, so that whoever credits it sees the balance.',
  params: UserPath,
  response: { 200: ref(Wallet) },
}

export const retryWalletSchema = {
  tags,
  summary: 'Provision a wallet again',
  description: 'One whose provisioning FAILED goes back to PENDING and the operator is asked again, under the same id.',
  params: UserPath,
  response: { 200: ref(Wallet) },
}

export const readWalletStatusSchema = {
  tags,
  summary: 'Read the status of a wallet',
  description: 'By the `partner_wallet_id` that create or read returned.',
  params: Type.Object({ wallet_id: PathId('The `partner_wallet_id`') }),
  response: { 200: ref(WalletStatusRecord) },
}

export const receiveOperatorEventSchema = {
  tags,
  summary: 'Receive a status from the operator',
  description:
    'Signed by the operator. What is older than five minutes or was received before changes nothing; neither does what is older than the last known status.',
  body: Type.Object(
    {
      event_id: Type.String({ minLength: 1, maxLength: 100 }),
      reference: Type.String({ minLength: 1, maxLength: 100, description: 'The `partner_wallet_id`' }),
      status: OneOf(['ACTIVE', 'BLOCKED']),
      sequence: Type.Integer({ minimum: 0, description: 'Grows with every change of this wallet' }),
    },
    {
      examples: [
        { event_id: 'op-evt-17', reference: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2', status: 'BLOCKED', sequence: 2 },
      ],
    },
  ),
  response: {
    200: Type.Object(
      { received: Type.Boolean({ description: 'False when it was received before' }) },
      { examples: [{ received: true }] },
    ),
  },
}
