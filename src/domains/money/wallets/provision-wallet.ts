import type { Actor, Caller } from '../../../access/caller.ts'
import { scopeOnUser } from '../../../access/scope.ts'
import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, type Author, type Decision, type Deps, unchanged } from '../../../record/index.ts'
import { findUser, phoneOf } from '../../people/users/index.ts'
import { SEQUENCE_AHEAD_MAX } from './apply-operator-status.ts'
import { changeWallet, type WalletStep } from './change-wallet.ts'
import { CircuitOpenError } from '../../../kernel/outbound/circuit-breaker.ts'
import { IndefiniteResponse } from '../../../kernel/outbound/measured-call.ts'
import { type Operator, type OperatorResponse, type OperatorWallet, WrongAddressError } from './operator.ts'
import type { Wallet } from './records.ts'
import { existingWallet } from './store.ts'
import { LINKED_QUESTIONS } from './sweep-store.ts'

const TRIES_MAX = 12
const TRYING_MS_MAX = 24 * 3_600_000

const GIVEN_UP = 'The operator gave no definite response to any attempt.'
const WRONG_ADDRESS = 'The operator responded 404 where wallets are created: its address in the settings is wrong.'

const NO_PHONE = 'The user has no phone number, which the operator needs: the number was set free.'

const caller: Caller = { kind: 'system', job: 'provision-wallet' }

export type ProvisionContext = Deps & { operator: Operator; callbackUrl: string }

/**
 * Takes a wallet from PENDING to COMPLETED or FAILED. Throws when it must be retried, so that the queue
 * retries with backoff and jitter. After a call without a clear response, the operator is asked for the reference
 * before anything is created, even when the wallet FAILED in between.
 */
export async function provisionWallet(context: ProvisionContext, userId: string): Promise<void> {
  if (context.operator.isCircuitOpen()) throw new CircuitOpenError('the operator') // before any write
  const { db } = context
  const author: Actor = { caller, requestId: newId('job') }
  const step = (change: (wallet: Wallet, now: Author) => Decision<Wallet>) =>
    applyWithRetry(context, author, async (now) => change(await existingWallet(db, userId), now), {
      serializeBy: userId,
    })

  const wallet = await step(beginProvisioning)
  if (wallet.status !== 'IN_PROGRESS') return
  try {
    const response = await askOperator(context, wallet)
    await step((now, at) => finishProvisioning(now, response, at))
  } catch (error) {
    const isCalled = !(error instanceof CircuitOpenError)
    const counts = isCalled && !(error instanceof IndefiniteResponse)
    const reason = error instanceof WrongAddressError ? WRONG_ADDRESS : undefined
    const later = await step((now, at) => scheduleRetry(now, { counts, isCalled, reason }, at))
    if (later.status !== 'FAILED') throw error
  }
}

/** Decides the transition to IN_PROGRESS, where provisioning is unfinished. Pure. */
export function beginProvisioning(wallet: Wallet, author: Author): Decision<Wallet> {
  switch (wallet.status) {
    case 'COMPLETED':
    case 'FAILED':
    case 'CREATED':
      return unchanged(wallet)
    case 'RETRYING': {
      const isOver = wallet.tries >= TRIES_MAX || author.at.getTime() - wallet.queuedAt.getTime() > TRYING_MS_MAX
      const next: WalletStep = isOver ? { to: 'FAILED', reason: GIVEN_UP } : { to: 'IN_PROGRESS' }
      return changeWallet(wallet, [next], author)
    }
    case 'IN_PROGRESS': {
      // Another worker died or is very slow; the operator's deduplication makes a second call harmless.
      const restart: WalletStep = { to: 'PENDING', fields: { tries: wallet.tries + 1, mayBeHeld: true } }
      return changeWallet(wallet, [restart, { to: 'IN_PROGRESS' }], author)
    }
    case 'PENDING':
      return changeWallet(wallet, [{ to: 'IN_PROGRESS' }], author)
  }
}

/** Looks the wallet up when an earlier call may have reached the operator, else creates it there. */
export async function askOperator(
  { db, vault, operator, callbackUrl }: ProvisionContext,
  wallet: Wallet,
): Promise<OperatorResponse> {
  const existing = wallet.mayBeHeld ? await operator.findWallet(wallet.id) : undefined
  if (existing) return { outcome: 'held', wallet: existing }
  const phone = phoneOf((await findUser(db, vault, scopeOnUser(caller, wallet.userId))).profile)
  if (phone === null) return { outcome: 'refused', reason: NO_PHONE }
  const response = await operator.createWallet({ reference: wallet.id, phone, callback_url: callbackUrl })
  if (response.outcome !== 'refused' || !response.mayBeHeld || !wallet.mayBeHeld) return response
  // The call before, whose response was lost, may have created it only now.
  const created = await operator.findWallet(wallet.id)
  if (created) return { outcome: 'held', wallet: created }
  throw new IndefiniteResponse('the operator responded 409 and has no wallet with this reference')
}

/**
 * Decides the transition to COMPLETED or FAILED from the operator's response. The operator is asked once more where an event that came
 * before has another status. Pure.
 */
export function finishProvisioning(wallet: Wallet, response: OperatorResponse, author: Author): Decision<Wallet> {
  if (wallet.status !== 'IN_PROGRESS') return unchanged(wallet) // another worker finished first
  if (response.outcome === 'refused') return changeWallet(wallet, [{ to: 'FAILED', reason: response.reason }], author)
  const { operatorStatus, userId } = wallet
  const { status, sequence } = newerStatus(wallet, response.wallet)
  const fields = { operatorStatus: response.wallet.status, operatorSequence: sequence }
  const change = changeWallet(wallet, [{ to: 'COMPLETED', partner: status, fields }], author)
  if (operatorStatus === null || operatorStatus === response.wallet.status) return change
  return { ...change, rows: LINKED_QUESTIONS.rows([{ user_id: userId, due_at: author.at }]) }
}

/** A callback can arrive before the response to the call that caused it; one that is far ahead of it is wrong, and none opens a wallet. */
function newerStatus({ operatorStatus, operatorSequence }: Wallet, reported: OperatorWallet): OperatorWallet {
  if (operatorStatus === null || operatorSequence === null) return reported
  const ahead = operatorSequence - reported.sequence
  const isNewer = ahead > 0 && ahead <= SEQUENCE_AHEAD_MAX
  const opens = operatorStatus === 'ACTIVE' && reported.status === 'BLOCKED'
  return isNewer && !opens ? { status: operatorStatus, sequence: operatorSequence } : reported
}

/** An outage that responds must not use up the tries either, so what is no definite response does not count. */
type FailedTry = { counts: boolean; isCalled: boolean; reason?: string | undefined }

/** Decides the transition to RETRYING, and on to FAILED after the last try. Pure. */
export function scheduleRetry(
  wallet: Wallet,
  { counts, isCalled, reason }: FailedTry,
  author: Author,
): Decision<Wallet> {
  if (wallet.status !== 'IN_PROGRESS') return unchanged({ ...wallet, status: 'RETRYING' }) // read again by the next run
  const tries = counts ? wallet.tries + 1 : wallet.tries
  const fields = { tries, mayBeHeld: wallet.mayBeHeld || isCalled }
  const steps: WalletStep[] = [{ to: 'RETRYING', fields, ...(reason && { reason }) }]
  if (tries >= TRIES_MAX) steps.push({ to: 'FAILED', reason: reason ?? GIVEN_UP })
  return changeWallet(wallet, steps, author)
}
