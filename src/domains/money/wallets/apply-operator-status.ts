import type { Caller } from '../../../access/caller.ts'
import { type Author, type Decision, unchanged } from '../../../record/index.ts'
import { changeWallet, updateWallet } from './change-wallet.ts'
import type { OperatorWallet } from './operator.ts'
import type { Wallet } from './records.ts'

/** A sequence further ahead than this is no count of changes; everything true would be older from then on. */
export const SEQUENCE_AHEAD_MAX = 1_000_000

const ASKED = 'The operator was asked for the status.'

/** The operator's word changes its status, also when an administrator had it asked. */
export const ASKING: Caller = { kind: 'system', job: 'ask-operator' }

/** How an event of the operator contradicts what is stored. */
export type Contradiction = 'event_id_reused' | 'sequence_far_ahead' | 'sequence_older' | 'sequence_equal'

/** Returns how a reported status contradicts the stored one; undefined when it does not. Pure. */
export function findContradiction(
  { operatorStatus, operatorSequence }: Wallet,
  { status, sequence }: OperatorWallet,
): Contradiction | undefined {
  if (operatorSequence === null) return undefined
  if (sequence - operatorSequence > SEQUENCE_AHEAD_MAX) return 'sequence_far_ahead'
  if (sequence > operatorSequence || status === operatorStatus) return undefined
  return sequence === operatorSequence ? 'sequence_equal' : 'sequence_older'
}

/** Decides what a status in an event of the operator changes; a stale one changes nothing. Pure. */
export function applyOperatorStatus(wallet: Wallet, reported: OperatorWallet, author: Author): Decision<Wallet> {
  if (wallet.operatorSequence !== null && reported.sequence <= wallet.operatorSequence) return unchanged(wallet)
  return storeStatus(wallet, reported, author)
}

/** What the operator responded when it was asked for a wallet, and the wallet as it was before. */
export type StatusResponse = { before: Wallet; reported: OperatorWallet }

/**
 * Decides what the response to a question changes. It counts whatever the stored sequence is, because that may come from an
 * event that was wrong; when an event arrived after the question, the newer of both counts. Pure.
 */
export function applyAskedStatus(
  wallet: Wallet,
  { before, reported }: StatusResponse,
  author: Author,
): Decision<Wallet> {
  if (wallet.status !== 'COMPLETED') return unchanged(wallet)
  const isSame = wallet.operatorSequence === before.operatorSequence && wallet.operatorStatus === before.operatorStatus
  if (!isSame) return applyOperatorStatus(wallet, reported, { ...author, caller: ASKING })
  const isKnown = wallet.operatorSequence === reported.sequence && wallet.operatorStatus === reported.status
  return isKnown ? unchanged(wallet) : storeStatus(wallet, reported, { ...author, caller: ASKING }, ASKED)
}

function storeStatus(
  wallet: Wallet,
  { status, sequence }: OperatorWallet,
  author: Author,
  reason?: string,
): Decision<Wallet> {
  const fields = { operatorStatus: status, operatorSequence: sequence }
  // Stored only: provisioning applies it when it completes, or the status is the same.
  if (wallet.status !== 'COMPLETED' || wallet.partnerStatus === status)
    return updateWallet(wallet, { ...wallet, ...fields }, author)
  return changeWallet(wallet, [{ to: 'COMPLETED', partner: status, fields, ...(reason && { reason }) }], author)
}
