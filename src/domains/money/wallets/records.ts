import assert from 'node:assert/strict'
import { type Static, Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import {
  columns,
  decoded,
  flag,
  instant,
  integer,
  nullable,
  oneOf,
  type RecordOf,
  text,
} from '../../../kernel/db/columns.ts'
import { OneOf, PaiseAmount, record } from '../../../kernel/http/schemas.ts'
import { UserIdText } from '../../user-id-text.ts'
import { HELD_STATUSES, PARTNER_STATUSES, WALLET_STATUSES } from './states.ts'

export const WALLET = columns('w', {
  id: text('partner_wallet_id'),
  userId: decoded('user_id', decodeUserId),
  platformId: text('platform_id'),
  status: oneOf('wallet_status', WALLET_STATUSES),
  partnerStatus: oneOf('wallet_status_partner', PARTNER_STATUSES),
  balancePaise: integer('balance_paise'),
  /** Position of the last booking; 0 before the first. */
  lastPosition: integer('last_position'),
  tries: integer('tries'),
  queuedAt: instant('queued_at'),
  /** True when a call may have reached the operator, so it is asked for the wallet before creating it. */
  mayBeHeld: flag('may_be_held'),
  operatorStatus: nullable(oneOf('operator_status', HELD_STATUSES)),
  operatorSequence: nullable(integer('operator_sequence')),
  revision: integer('revision'),
})

export type Wallet = RecordOf<typeof WALLET>

export const WalletRecord = record(
  'Wallet',
  {
    partner_wallet_id: Type.String(),
    user_id: UserIdText(),
    balance: PaiseAmount(),
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

export const presentWallet = (wallet: Wallet, { created }: { created: boolean }): Static<typeof WalletRecord> => ({
  partner_wallet_id: wallet.id,
  user_id: wallet.userId,
  balance: wallet.balancePaise,
  created,
  wallet_status: wallet.status,
  wallet_status_partner: wallet.partnerStatus,
})

export const versionOf = (wallet: Wallet, { created = false } = {}) => ({
  record: presentWallet(wallet, { created }),
  revision: wallet.revision,
})

export const tags = ['Wallet']

export function ownerFrom({ caller }: { caller: Caller }) {
  assert(caller.kind === 'wallet_user', 'the access matrix admits wallet users only')
  return caller
}
