import type { Actor } from '../../access/caller.ts'
import type { Deps } from '../../deps.ts'
import type { Tx } from '../../kernel/db/database.ts'
import { newId } from '../../kernel/id.ts'
import { recordUserMoves } from '../events/index.ts'
import { moveWallet, tellMove } from './move-wallet.ts'
import { insertWallet, lockWallet, type Wallet } from './store.ts'

type Kit = Pick<Deps, 'clock'>
type Owner = { userId: string; platformId: string; by: Actor }

/**
 * The user's wallet, made if there is none (contract 4.15); the operator is asked for it by a job. One whose
 * provisioning FAILED is queued again. Equal calls at once make one wallet, because the user's id is its key.
 */
export async function createWallet(
  tx: Tx,
  kit: Kit,
  { userId, platformId, by }: Owner,
): Promise<{ wallet: Wallet; created: boolean }> {
  const now = kit.clock.now()
  const made = await insertWallet(tx, { userId, platformId, id: newId('wal'), now })
  if (made) {
    await recordUserMoves(tx, made, [
      { entityId: made.id, from: null, to: 'CREATED', by },
      { entityId: made.id, from: 'CREATED', to: made.status, by },
    ])
    await tellMove(tx, { ...made, status: 'CREATED' }, { to: made.status, partner: made.partnerStatus })
    return { wallet: made, created: true }
  }
  const wallet = await lockWallet(tx, userId)
  return { wallet: wallet.status === 'FAILED' ? await queueProvisioning(tx, kit, wallet, by) : wallet, created: false }
}

async function queueProvisioning(tx: Tx, { clock }: Kit, wallet: Wallet, by: Actor): Promise<Wallet> {
  return moveWallet(tx, wallet, { to: 'PENDING', by, columns: { tries: 0, queuedAt: clock.now() } })
}
