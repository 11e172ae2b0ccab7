import type { Actor } from '../../../access/caller.ts'
import { newId } from '../../../kernel/id.ts'
import type { Log } from '../../../kernel/log.ts'
import { applyWithRetry, type Deps } from '../../../record/index.ts'
import { applyAskedStatus, ASKING } from './apply-operator-status.ts'
import type { Operator } from './operator.ts'
import { existingWallet, findWallet } from './store.ts'

export type AskContext = Deps & { operator: Operator; log: Log }

/**
 * Asks the operator for the status of a COMPLETED wallet, and stores it where it differs. Throws when there is no definite
 * response.
 */
export async function askStatus({ operator, log, ...deps }: AskContext, userId: string): Promise<void> {
  const before = await findWallet(deps.db, userId)
  if (before?.status !== 'COMPLETED') return // erased, or provisioning looks it up by itself
  const { id: wallet_id, partnerStatus } = before
  const reported = await operator.findWallet(wallet_id)
  if (!reported) return log.warn({ wallet_id }, 'the operator does not know a wallet that it holds')
  const author: Actor = { caller: ASKING, requestId: newId('job') }
  await applyWithRetry(
    deps,
    author,
    async (now) => applyAskedStatus(await existingWallet(deps.db, userId), { before, reported }, now),
    { serializeBy: userId },
  )
  if (reported.status !== partnerStatus)
    log.warn({ wallet_id, stored: partnerStatus, reported: reported.status }, 'the operator has another status')
}
