import type { Database } from '../../kernel/db/database.ts'
import { decodeUserId } from '../../access/user-id.ts'
import { newId } from '../../kernel/id.ts'
import { type By, type Change, type Decision, unchanged } from '../../record/index.ts'
import { changeOf, changeWallet, statusChanged } from './change-wallet.ts'
import { findWallet, INSERT_WALLET, type Wallet } from './store.ts'

export type Owner = { userId: string; platformId: string }
type Created = { wallet: Wallet; created: boolean }

/**
 * The user's wallet, made if there is none (contract 4.15); a job that its event starts has the operator provision it. One
 * whose provisioning FAILED is provisioned again.
 */
export async function createWallet(db: Database, owner: Owner, by: By): Promise<Decision<Created>> {
  const wallet = await findWallet(db, owner.userId)
  if (!wallet) return newWallet(owner, by)
  if (wallet.status !== 'FAILED') return unchanged({ wallet, created: false })
  const again = provisionAgain(wallet, by)
  return { ...again, result: { wallet: again.result, created: false } }
}

/** A FAILED wallet, with all its tries before it again; the event starts the job. */
export const provisionAgain = (wallet: Wallet, by: By): Change<Wallet> =>
  changeWallet(wallet, [{ to: 'PENDING', fields: { tries: 0, queuedAt: by.at } }], by)

/** Made and, in the same breath, PENDING; equal calls at once make one, because the user's id is its key. */
function newWallet({ userId, platformId }: Owner, by: By): Change<Created> {
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
    rows: { into_wallet_ids: [{ partner_wallet_id: id, user_id: userId }] },
    history: [changeOf(wallet, { from: null, to: 'CREATED' }), changeOf(wallet, { from: 'CREATED', to: status })],
    events: [statusChanged({ ...wallet, status: 'CREATED' }, { to: status, partner: partnerStatus })],
  }
}
