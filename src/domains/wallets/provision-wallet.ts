import type { Actor, Caller } from '../../access/caller.ts'
import { scopeOnUser } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../kernel/id.ts'
import { type By, commit, type Decision, unchanged } from '../../record/index.ts'
import { findUser } from '../users/index.ts'
import { changeWallet, savedWallet, type WalletStep } from './change-wallet.ts'
import { CircuitOpenError } from './errors.ts'
import type { Operator, OperatorResponse, OperatorWallet } from './operator.ts'
import { existingWallet, type Wallet } from './store.ts'

const TRIES_MAX = 12
const TRYING_MS_MAX = 24 * 3_600_000

const GIVEN_UP = 'The operator gave no clear response in all tries.'

const caller: Caller = { kind: 'system', job: 'provision-wallet' }

export type ProvisionContext = Deps & { operator: Operator; callbackUrl: string }

/**
 * Brings a wallet from PENDING to COMPLETED or FAILED (completion 5). It throws when it has to be tried again, so that the
 * queue does so with backoff and jitter; once a call had no clear response the operator is asked by reference before anything is
 * created, also when it FAILED in between.
 */
export async function provisionWallet(context: ProvisionContext, userId: string): Promise<void> {
  if (context.operator.isCircuitOpen()) throw new CircuitOpenError() // before anything is written: nothing is going to happen
  const { db } = context
  const by: Actor = { caller, requestId: newId('job') }
  const step = (decide: (wallet: Wallet, now: By) => Decision<Wallet>) =>
    commit(context, by, async (now) => decide(await existingWallet(db, userId), now), { turn: userId })

  const wallet = await step(beginProvisioning)
  if (wallet.status !== 'IN_PROGRESS') return
  try {
    const response = await askOperator(context, wallet)
    await step((now, at) => finishProvisioning(now, response, at))
  } catch (error) {
    const counts = !(error instanceof CircuitOpenError)
    const later = await step((now, at) => scheduleRetry(now, { counts }, at))
    if (later.status !== 'FAILED') throw error
  }
}

/** To IN_PROGRESS, where there is something to do. Pure. */
export function beginProvisioning(wallet: Wallet, by: By): Decision<Wallet> {
  switch (wallet.status) {
    case 'COMPLETED':
    case 'FAILED':
    case 'CREATED':
      return unchanged(wallet)
    case 'RETRYING': {
      const isOver = wallet.tries >= TRIES_MAX || by.at.getTime() - wallet.queuedAt.getTime() > TRYING_MS_MAX
      const next: WalletStep = isOver ? { to: 'FAILED', reason: GIVEN_UP } : { to: 'IN_PROGRESS' }
      return changeWallet(wallet, [next], by)
    }
    case 'IN_PROGRESS': {
      // Another worker began and died, or is very slow; the operator's de-duplication makes a second call harmless.
      const restart: WalletStep = { to: 'PENDING', fields: { tries: wallet.tries + 1, mayBeHeld: true } }
      return changeWallet(wallet, [restart, { to: 'IN_PROGRESS' }], by)
    }
    case 'PENDING':
      return changeWallet(wallet, [{ to: 'IN_PROGRESS' }], by)
  }
}

/** Asks whether the operator has it when an earlier call may have been heard, then for the creation. */
async function askOperator(
  { db, vault, operator, callbackUrl }: ProvisionContext,
  wallet: Wallet,
): Promise<OperatorResponse> {
  const held = wallet.mayBeHeld ? await operator.findWallet(wallet.id) : undefined
  if (held) return { outcome: 'held', wallet: held }
  const { phone_country_code, phone_number } = (await findUser(db, vault, scopeOnUser(caller, wallet.userId))).profile
  return operator.createWallet({
    reference: wallet.id,
    phone: `${phone_country_code}${phone_number}`,
    callback_url: callbackUrl,
  })
}

/** To COMPLETED or FAILED, as the operator answered. Pure. */
export function finishProvisioning(wallet: Wallet, response: OperatorResponse, by: By): Decision<Wallet> {
  if (wallet.status !== 'IN_PROGRESS') return unchanged(wallet) // another worker was first, under the same reference
  if (response.outcome === 'refused') return changeWallet(wallet, [{ to: 'FAILED', reason: response.reason }], by)
  const { status, sequence } = newerOf(wallet, response.wallet)
  const fields = { operatorStatus: status, operatorSequence: sequence }
  return changeWallet(wallet, [{ to: 'COMPLETED', partner: status, fields }], by)
}

/** A callback can be quicker than the answer to the call that caused it. */
function newerOf({ operatorStatus, operatorSequence }: Wallet, reported: OperatorWallet): OperatorWallet {
  return operatorStatus !== null && operatorSequence !== null && operatorSequence > reported.sequence
    ? { status: operatorStatus, sequence: operatorSequence }
    : reported
}

/** To RETRYING, and on to FAILED when that was the last try. Pure. */
export function scheduleRetry(wallet: Wallet, { counts }: { counts: boolean }, by: By): Decision<Wallet> {
  if (wallet.status !== 'IN_PROGRESS') return unchanged({ ...wallet, status: 'RETRYING' }) // the next run sees how far it came
  const tries = counts ? wallet.tries + 1 : wallet.tries
  const retrying: WalletStep = { to: 'RETRYING', fields: { tries, mayBeHeld: wallet.mayBeHeld || counts } }
  return changeWallet(wallet, tries < TRIES_MAX ? [retrying] : [retrying, { to: 'FAILED', reason: GIVEN_UP }], by)
}

/** What the operator tells by itself. What is older than what is known changes nothing. Pure. */
export function applyOperatorStatus(wallet: Wallet, told: OperatorWallet, by: By): Decision<Wallet> {
  if (wallet.operatorSequence !== null && told.sequence <= wallet.operatorSequence) return unchanged(wallet)
  const fields = { operatorStatus: told.status, operatorSequence: told.sequence }
  // Kept until provisioning is completed, or nothing new.
  if (wallet.status !== 'COMPLETED' || wallet.partnerStatus === told.status)
    return savedWallet(wallet, { ...wallet, ...fields }, by)
  return changeWallet(wallet, [{ to: 'COMPLETED', partner: told.status, fields }], by)
}
