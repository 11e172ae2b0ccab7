import type { Actor } from '../../access/caller.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { findMove, type Move } from '../../kernel/state-machine.ts'
import { emit, recordUserMoves } from '../events/index.ts'
import { PARTNER_MOVES, type PartnerStatus, WALLET_MOVES, type WalletStatus } from './states.ts'
import { updateWallet, type Wallet } from './store.ts'

type Change = {
  to: WalletStatus
  /** What the operator says; without it the operator's view stays. */
  partner?: PartnerStatus
  by: Actor
  /** Ours or the operator's words, about no person. */
  reason?: string
  columns?: Partial<Pick<Wallet, 'tries' | 'queuedAt' | 'mayBeHeld' | 'operatorStatus' | 'operatorSequence'>>
}

/** Moves a locked wallet along one or both of its state tables, with history and one event. 409 `invalid_state`. */
export async function moveWallet(
  tx: Tx,
  wallet: Wallet,
  { to, partner = wallet.partnerStatus, by, reason, columns }: Change,
): Promise<Wallet> {
  const steps = [
    { table: WALLET_MOVES, from: wallet.status, to },
    { table: PARTNER_MOVES, from: wallet.partnerStatus, to: partner },
  ].filter((step) => step.from !== step.to)
  for (const { table, from, to } of steps) findMove<string, Move<string>>(table, { from, to, who: by.caller.kind })
  await recordUserMoves(
    tx,
    wallet,
    steps.map((step) => ({
      entityId: wallet.id,
      from: step.from,
      to: step.to,
      by,
      reason: { text: reason, key: null },
    })),
  )
  await tellMove(tx, wallet, { to, partner })
  return updateWallet(tx, { ...wallet, ...columns, status: to, partnerStatus: partner })
}

/** Tells that a wallet, here still as it was, is now in these states. */
export async function tellMove(
  tx: Tx,
  wallet: Wallet,
  now: { to: WalletStatus; partner: PartnerStatus },
): Promise<void> {
  const data = {
    user_id: wallet.userId,
    wallet_id: wallet.id,
    from: wallet.status,
    to: now.to,
    partner_from: wallet.partnerStatus,
    partner_to: now.partner,
  }
  await emit(tx, 'wallet.status_changed', { platformId: wallet.platformId, subject: wallet.id, data })
}
