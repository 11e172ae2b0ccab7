import type { Database } from '../../../kernel/db/database.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { newId } from '../../../kernel/id.ts'
import { type By, type Change, type Decision, unchanged } from '../../../record/index.ts'
import { changeWallet, createdEvent, historyEntry, statusChanged } from './change-wallet.ts'
import { findWallet, INSERT_WALLET, type Wallet, WALLET_IDS_PART } from './store.ts'

export type Owner = { userId: string; platformId: string }
type CreateResult = { wallet: Wallet; created: boolean }

/**
 * Returns the user's wallet, creating it if there is none (contract 4.15); its event starts the job that provisions it.
 * A FAILED wallet is provisioned again.
 */
export async function createWallet(db: Database, owner: Owner, by: By): Promise<Decision<CreateResult>> {
  const wallet = await findWallet(db, owner.userId)
  if (!wallet) return newWallet(owner, by)
  if (wallet.status !== 'FAILED') return unchanged({ wallet, created: false })
  const again = restartProvisioning(wallet, by)
  return { ...again, result: { wallet: again.result, created: false } }
}

/** Decides to provision a FAILED wallet again, with its tries reset; the event starts the job. */
export const restartProvisioning = (wallet: Wallet, by: By): Change<Wallet> =>
  changeWallet(wallet, [{ to: 'PENDING', fields: { tries: 0, queuedAt: by.at } }], by)

/**
 * Passes through CREATED to PENDING in one write. Concurrent calls create one wallet, because the user id is its key.
 */
function newWallet({ userId, platformId }: Owner, by: By): Change<CreateResult> {
  const wallet: Wallet = {
    id: newId('wal'),
    userId: decodeUserId(userId),
    platformId,
    status: 'PENDING',
    partnerStatus: 'UNKNOWN',
    balancePaise: 0,
    lastPosition: 0,
    tries: 0,
    queuedAt: by.at,
    mayBeHeld: false,
    operatorStatus: null,
    operatorSequence: null,
    revision: 1,
  }
  const { id, status, partnerStatus } = wallet
  return {
    result: { wallet, created: true },
    write: INSERT_WALLET,
    values: [userId, platformId, id, status, partnerStatus, by.at],
    rows: WALLET_IDS_PART.rows([{ partner_wallet_id: id, user_id: userId }]),
    history: [
      historyEntry(wallet, { from: null, to: 'CREATED' }),
      historyEntry(wallet, { from: 'CREATED', to: status }),
    ],
    events: [
      createdEvent(wallet),
      statusChanged({ ...wallet, status: 'CREATED' }, { to: status, partner: partnerStatus }),
    ],
  }
}
