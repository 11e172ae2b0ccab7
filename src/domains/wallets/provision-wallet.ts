import type { Actor, Caller } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { newId } from '../../kernel/id.ts'
import { findUser } from '../users/index.ts'
import { OperatorRests } from './errors.ts'
import { moveWallet } from './move-wallet.ts'
import type { Operator, OperatorAnswer, OperatorWallet } from './operator.ts'
import { lockWallet, updateWallet, type Wallet } from './store.ts'

const TRIES_MAX = 12
const TRYING_MS_MAX = 24 * 3_600_000

const GIVEN_UP = 'The operator gave no clear answer in all tries.'

const caller: Caller = { kind: 'system', job: 'provision-wallet' }

export type ProvisionKit = Deps & { operator: Operator; callbackUrl: string }

/**
 * Brings a wallet from PENDING to COMPLETED or FAILED (completion 5). No transaction is open while the operator is
 * called. It throws when it has to be tried again, so that the queue does so with backoff and jitter; once a call had
 * no clear answer the operator is asked by reference before anything is created, also when it FAILED in between.
 */
export async function provisionWallet(kit: ProvisionKit, userId: string): Promise<void> {
  if (kit.operator.isResting()) throw new OperatorRests() // before anything is written: nothing is going to happen
  const by: Actor = { caller, requestId: newId('job') }
  const wallet = await kit.db.transaction((tx) => begin(tx, kit, { userId, by }))
  if (!wallet) return
  try {
    const answer = await askOperator(kit, wallet)
    await kit.db.transaction((tx) => finish(tx, { userId, by, answer }))
  } catch (error) {
    const counts = !(error instanceof OperatorRests)
    const isTriedAgain = await kit.db.transaction((tx) => putOff(tx, { userId, by, counts }))
    if (isTriedAgain) throw error
  }
}

type Step = { userId: string; by: Actor }

/** To IN_PROGRESS; undefined when there is nothing to do (any more). */
async function begin(tx: Tx, { clock }: Deps, { userId, by }: Step): Promise<Wallet | undefined> {
  const wallet = await lockWallet(tx, userId)
  switch (wallet.status) {
    case 'COMPLETED':
    case 'FAILED':
      return undefined
    case 'RETRYING':
      if (wallet.tries >= TRIES_MAX || clock.now().getTime() - wallet.queuedAt.getTime() > TRYING_MS_MAX) {
        await moveWallet(tx, wallet, { to: 'FAILED', by, reason: GIVEN_UP })
        return undefined
      }
      return moveWallet(tx, wallet, { to: 'IN_PROGRESS', by })
    case 'IN_PROGRESS': {
      // Another worker began and died, or is very slow; the operator's de-duplication makes a second call harmless.
      const restarted = await moveWallet(tx, wallet, {
        to: 'PENDING',
        by,
        columns: { tries: wallet.tries + 1, mayBeHeld: true },
      })
      return moveWallet(tx, restarted, { to: 'IN_PROGRESS', by })
    }
    default:
      return moveWallet(tx, wallet, { to: 'IN_PROGRESS', by })
  }
}

/** A question first when an earlier call may have been heard, then the creation. */
async function askOperator(
  { db, vault, operator, callbackUrl }: ProvisionKit,
  wallet: Wallet,
): Promise<OperatorAnswer> {
  const held = wallet.mayBeHeld ? await operator.findWallet(wallet.id) : undefined
  if (held) return { outcome: 'held', wallet: held }
  const scope = { userId: wallet.userId, platformId: null, providerId: null }
  const { phone_country_code, phone_number } = (await findUser(db, vault, scope)).profile
  return operator.createWallet({
    reference: wallet.id,
    phone: `${phone_country_code}${phone_number}`,
    callback_url: callbackUrl,
  })
}

async function finish(tx: Tx, { userId, by, answer }: Step & { answer: OperatorAnswer }): Promise<void> {
  const wallet = await lockWallet(tx, userId)
  if (wallet.status !== 'IN_PROGRESS') return // another worker was first; both asked under one reference
  if (answer.outcome === 'refused') {
    await moveWallet(tx, wallet, { to: 'FAILED', by, reason: answer.reason })
    return
  }
  const newest = newerOf(wallet, answer.wallet)
  await moveWallet(tx, wallet, {
    to: 'COMPLETED',
    partner: newest.status,
    by,
    columns: { operatorStatus: newest.status, operatorSequence: newest.sequence },
  })
}

/** A callback can be quicker than the answer to the call that caused it. */
function newerOf({ operatorStatus, operatorSequence }: Wallet, answered: OperatorWallet): OperatorWallet {
  return operatorStatus !== null && operatorSequence !== null && operatorSequence > answered.sequence
    ? { status: operatorStatus, sequence: operatorSequence }
    : answered
}

/** False when that was the last try. */
async function putOff(tx: Tx, { userId, by, counts }: Step & { counts: boolean }): Promise<boolean> {
  const wallet = await lockWallet(tx, userId)
  if (wallet.status !== 'IN_PROGRESS') return true // another worker was first; the next run sees how far it came
  const tries = counts ? wallet.tries + 1 : wallet.tries
  const columns = { tries, mayBeHeld: wallet.mayBeHeld || counts }
  const waiting = await moveWallet(tx, wallet, { to: 'RETRYING', by, columns })
  if (tries < TRIES_MAX) return true
  await moveWallet(tx, waiting, { to: 'FAILED', by, reason: GIVEN_UP })
  return false
}

/** What the operator tells by itself; the caller holds the wallet. What is older than what is known changes nothing. */
export async function applyOperatorStatus(tx: Tx, wallet: Wallet, told: OperatorWallet): Promise<void> {
  if (wallet.operatorSequence !== null && told.sequence <= wallet.operatorSequence) return
  const columns = { operatorStatus: told.status, operatorSequence: told.sequence }
  if (wallet.status !== 'COMPLETED' || wallet.partnerStatus === told.status) {
    await updateWallet(tx, { ...wallet, ...columns }) // kept until provisioning is completed, or nothing new
    return
  }
  const by: Actor = { caller: { kind: 'system', job: 'operator-event' }, requestId: newId('job') }
  await moveWallet(tx, wallet, { to: 'COMPLETED', partner: told.status, by, columns })
}
