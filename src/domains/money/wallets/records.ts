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
import { LIMIT_NAMES } from '../../../access/wallet-limits.ts'
import type { Exchange } from '../../../kernel/http/exchange.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { DayText, Nullable, OneOf, PaiseAmount, record } from '../../../kernel/http/schemas.ts'
import { UserIdText } from '../../user-id-text.ts'
import { type Counted, presentLimits } from '../ledger/check-limits.ts'
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

/** A wallet as its readers see it: with its limits, where the platform has any. */
export const WalletWithLimitsRecord = record(
  'WalletWithLimits',
  {
    ...WalletRecord.properties,
    limits: Type.Optional(
      Type.Array(
        Type.Object({
          limit: OneOf(LIMIT_NAMES, { description: 'What is limited; months and financial years are India’s' }),
          amount: PaiseAmount(),
          used: PaiseAmount(),
          left: PaiseAmount(),
          free_on: Nullable(DayText({ description: 'The day on which the count begins again; null for the balance' })),
        }),
        { description: 'The limits that hold today; not there where nothing is limited' },
      ),
    ),
  },
  {
    description: 'A wallet, held by the operator, with its limits',
    examples: [
      {
        partner_wallet_id: 'wal_06bnv3m2r8f1s4k7q9t3v6w0y2',
        user_id: '012345678901',
        balance: 30_000,
        created: false,
        wallet_status: 'COMPLETED',
        wallet_status_partner: 'ACTIVE',
        limits: [{ limit: 'credits_a_month', amount: 1_000_000, used: 50_000, left: 950_000, free_on: '2026-05-01' }],
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

/** Responds with a wallet and its limits, which are a part of its version: a month that begins changes what is left, and not the wallet. */
export function sendWithLimits(exchange: Exchange, wallet: Wallet, counted: Counted | undefined) {
  const { record: of, revision } = versionOf(wallet)
  const limits = counted && presentLimits(counted, wallet.balancePaise)
  return sendRecord(exchange, { record: limits ? { ...of, limits } : of, revision })
}

export const tags = ['Wallet']

export function ownerFrom({ caller }: { caller: Caller }) {
  assert(caller.kind === 'wallet_user', 'the access matrix admits wallet users only')
  return caller
}
