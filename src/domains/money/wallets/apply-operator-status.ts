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

/** How what the operator says contradicts what is stored, or what it responds when it is asked. */
export type Contradiction =
  | 'event_id_reused'
  | 'sequence_far_ahead'
  | 'sequence_older'
  | 'sequence_equal'
  | 'opening_denied'
  | 'response_not_newer'
  | 'response_of_another'

/** Counts and logs a contradiction. */
export type ReportContradiction = (noted: { contradiction: Contradiction; wallet_id: string | undefined }) => void

/** Returns how the status in an event contradicts the stored one; undefined when it does not. Pure. */
export function findContradiction(wallet: Wallet, { status, sequence }: OperatorWallet): Contradiction | undefined {
  const { operatorSequence } = wallet
  if (operatorSequence === null) return undefined
  if (sequence - operatorSequence > SEQUENCE_AHEAD_MAX) return 'sequence_far_ahead'
  if (sequence > operatorSequence || status === storedStatus(wallet)) return undefined
  return sequence === operatorSequence ? 'sequence_equal' : 'sequence_older'
}

/** `operatorStatus` of a COMPLETED wallet is what the operator has responded; what only an event says shows in `partnerStatus`. */
const storedStatus = ({ status, partnerStatus, operatorStatus }: Wallet) =>
  status === 'COMPLETED' ? partnerStatus : operatorStatus

/** Returns whether this would let debits through that are refused now: an event alone does not. Pure. */
export const wouldOpen = ({ status, partnerStatus }: Wallet, reported: OperatorWallet): boolean =>
  status === 'COMPLETED' && partnerStatus === 'BLOCKED' && reported.status === 'ACTIVE'

const isNewer = ({ operatorSequence }: Wallet, { sequence }: OperatorWallet): boolean =>
  operatorSequence === null || sequence > operatorSequence

/** Returns whether an event is to open a wallet, if the operator responds the same. Pure. */
export const isOpening = (wallet: Wallet, reported: OperatorWallet): boolean =>
  isNewer(wallet, reported) && wouldOpen(wallet, reported)

/** Decides what a status in an event of the operator changes; a stale one, and one that would open a wallet, changes nothing. Pure. */
export function applyOperatorStatus(wallet: Wallet, reported: OperatorWallet, author: Author): Decision<Wallet> {
  if (!isNewer(wallet, reported) || wouldOpen(wallet, reported)) return unchanged(wallet)
  const { status, sequence: operatorSequence } = reported
  const operatorStatus = wallet.status === 'COMPLETED' ? wallet.operatorStatus : status
  return storeStatus(wallet, { status, fields: { operatorSequence, operatorStatus } }, author)
}

/** What the operator responded when it was asked for a wallet, and the wallet as it was before. */
export type StatusResponse = { before: Wallet; reported: OperatorWallet }

/** Returns whether a response has another status than the stored one without a later sequence. Pure. */
export const isContradicting = (wallet: Wallet, reported: OperatorWallet): boolean =>
  reported.status !== wallet.partnerStatus && !isNewer(wallet, reported)

/**
 * Returns whether a response would open a wallet, of which the operator itself has responded before, with a sequence that is no older,
 * that it is blocked. Only an administrator's question lets it count then. Pure.
 */
export const isHeldBack = (wallet: Wallet, reported: OperatorWallet): boolean =>
  wouldOpen(wallet, reported) &&
  isContradicting(wallet, reported) &&
  wallet.operatorStatus === 'BLOCKED' &&
  (wallet.operatorSequence ?? 0) - reported.sequence <= SEQUENCE_AHEAD_MAX

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
  const isSame =
    wallet.operatorSequence === before.operatorSequence &&
    wallet.operatorStatus === before.operatorStatus &&
    wallet.partnerStatus === before.partnerStatus
  if (!isSame && !isNewer(wallet, reported)) return unchanged(wallet)
  const { status, sequence: operatorSequence } = reported
  // What closes a wallet is obeyed at once, and is the operator's settled word when it responds so once more.
  const isClosing = status === 'BLOCKED' && wallet.partnerStatus === 'ACTIVE'
  const operatorStatus = isClosing ? wallet.operatorStatus : status
  const isKnown =
    wallet.operatorSequence === operatorSequence && wallet.operatorStatus === status && wallet.partnerStatus === status
  if (isKnown) return unchanged(wallet)
  const by = { ...author, caller: ASKING }
  return storeStatus(wallet, { status, fields: { operatorSequence, operatorStatus }, reason: ASKED }, by)
}

type StatusChange = {
  status: OperatorWallet['status']
  fields: Pick<Wallet, 'operatorStatus' | 'operatorSequence'>
  reason?: string
}

function storeStatus(wallet: Wallet, { status, fields, reason }: StatusChange, author: Author): Decision<Wallet> {
  // Stored only: provisioning applies it when it completes, or the status is the same.
  if (wallet.status !== 'COMPLETED' || wallet.partnerStatus === status)
    return updateWallet(wallet, { ...wallet, ...fields }, author)
  return changeWallet(wallet, [{ to: 'COMPLETED', partner: status, fields, ...(reason && { reason }) }], author)
}
