import {
  allowedTransitions,
  type Author,
  type Change,
  findTransition,
  newEvent,
  type Recorded,
} from '../../../record/index.ts'
import { invalidState } from '../../../kernel/problem-error.ts'
import type { Wallet } from './records.ts'
import { PARTNER_TRANSITIONS, type PartnerStatus, WALLET_TRANSITIONS, type WalletStatus } from './states.ts'
import { RESTART_WALLET, UPDATE_WALLET } from './store.ts'

export type WalletStep = {
  to: WalletStatus
  /** The operator's status; unchanged when undefined. */
  partner?: PartnerStatus
  /** Written by us or the operator; contains no personal data. */
  reason?: string
  fields?: Partial<Pick<Wallet, 'tries' | 'queuedAt' | 'mayBeHeld' | 'operatorStatus' | 'operatorSequence'>>
}

/**
 * Decides one or more steps of a wallet through its two state tables, as one write with history and an event for each
 * step. Pure. Throws 409 `invalid_state`.
 */
export function changeWallet(wallet: Wallet, steps: readonly WalletStep[], author: Author): Change<Wallet> {
  let current = wallet
  const recorded: Recorded = { history: [], events: [] }
  for (const step of steps) {
    const { history, events } = recordStep(current, step, author)
    recorded.history.push(...history)
    recorded.events.push(...events)
    current = { ...current, ...step.fields, status: step.to, partnerStatus: step.partner ?? current.partnerStatus }
  }
  return { ...updateWallet(wallet, current, author), ...recorded }
}

/** Creates the 409 of a wallet whose state does not allow what this caller asks for. */
export const invalidWalletState = ({ status }: Wallet, { kind }: Author['caller'], detail: string) =>
  invalidState(
    { current: status, allowed: allowedTransitions(WALLET_TRANSITIONS, { from: status, who: kind }) },
    detail,
  )

/** Decides to provision a FAILED wallet again, with its tries reset; the event starts the job. */
export const restartProvisioning = (wallet: Wallet, author: Author): Change<Wallet> => ({
  ...changeWallet(wallet, [{ to: 'PENDING', fields: { tries: 0, queuedAt: author.at } }], author),
  ...RESTART_WALLET.with({ user_id: wallet.userId, revision: wallet.revision, at: author.at }),
})

/** Returns the write of a changed wallet, guarded by the revision that was read. */
export function updateWallet(before: Wallet, wallet: Wallet, author: Author): Change<Wallet> {
  const { userId, status, partnerStatus, tries, queuedAt, operatorStatus, operatorSequence, mayBeHeld } = wallet
  return {
    result: { ...wallet, revision: before.revision + 1 },
    ...UPDATE_WALLET.with({
      user_id: userId,
      revision: before.revision,
      wallet_status: status,
      wallet_status_partner: partnerStatus,
      tries,
      queued_at: queuedAt === before.queuedAt ? null : queuedAt,
      operator_status: operatorStatus,
      operator_sequence: operatorSequence,
      may_be_held: mayBeHeld,
      at: author.at,
    }),
  }
}

function recordStep(
  wallet: Wallet,
  { to, partner = wallet.partnerStatus, reason }: WalletStep,
  author: Author,
): Recorded {
  const who = author.caller.kind
  const history = []
  if (wallet.status !== to) {
    findTransition(WALLET_TRANSITIONS, { from: wallet.status, to, who })
    history.push(historyEntry(wallet, { from: wallet.status, to, reason }))
  }
  if (wallet.partnerStatus !== partner) {
    findTransition(PARTNER_TRANSITIONS, { from: wallet.partnerStatus, to: partner, who })
    history.push(historyEntry(wallet, { from: wallet.partnerStatus, to: partner, reason }))
  }
  return { history, events: [statusChanged(wallet, { from: wallet.status, to, partner })] }
}

type Step = { from: string | null; to: string; reason?: string | undefined }

export const historyEntry = ({ id, userId }: Wallet, { from, to, reason }: Step) => ({
  userId,
  entityId: id,
  from,
  to,
  reason: { text: reason, key: null },
})

type StatusStep = { from: WalletStatus | null; to: WalletStatus; partner?: PartnerStatus }

/** Returns the event of a status change; `wallet` has the operator's status before it, which stays unless `partner` is set. */
export const statusChanged = (
  { id, userId, platformId, partnerStatus }: Wallet,
  { from, to, partner = partnerStatus }: StatusStep,
) =>
  newEvent('wallet.status_changed', {
    platformId,
    data: { user_id: userId, wallet_id: id, from, to, partner_from: partnerStatus, partner_to: partner },
  })
