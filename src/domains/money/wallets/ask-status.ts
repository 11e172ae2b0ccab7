import type { Actor } from '../../../access/caller.ts'
import { newId } from '../../../kernel/id.ts'
import type { Log } from '../../../kernel/log.ts'
import { MistakenResponse } from '../../../kernel/outbound/measured-call.ts'
import { applyWithRetry, type Deps } from '../../../record/index.ts'
import {
  applyAskedStatus,
  ASKING,
  isContradicting,
  isHeldBack,
  type ReportContradiction,
} from './apply-operator-status.ts'
import type { Operator } from './operator.ts'
import { existingWallet, findWallet } from './store.ts'

export type AskContext = Deps & { operator: Operator; log: Log; reportContradiction: ReportContradiction }

/**
 * Asks the operator for the status of a COMPLETED wallet, and stores it where it differs. Throws when there is no definite
 * response. Returns false where it is to be asked once more soon.
 */
export async function askStatus(
  { operator, log, reportContradiction, ...deps }: AskContext,
  userId: string,
): Promise<boolean> {
  const before = await findWallet(deps.db, userId)
  if (before?.status !== 'COMPLETED') return true // erased, or provisioning looks it up by itself
  const { id: wallet_id, partnerStatus } = before
  const reported = await operator.findWallet(wallet_id).catch((error: unknown) => {
    if (error instanceof MistakenResponse) reportContradiction({ contradiction: 'response_of_another', wallet_id })
    throw error
  })
  if (!reported) {
    log.warn({ wallet_id }, 'the operator does not know a wallet that it holds')
    return true
  }
  if (isContradicting(before, reported)) reportContradiction({ contradiction: 'response_not_newer', wallet_id })
  if (isHeldBack(before, reported)) return true
  const author: Actor = { caller: ASKING, requestId: newId('job') }
  await applyWithRetry(
    deps,
    author,
    async (now) => applyAskedStatus(await existingWallet(deps.db, userId), { before, reported }, now),
    { serializeBy: userId },
  )
  if (reported.status === partnerStatus) return true
  log.warn({ wallet_id, stored: partnerStatus, reported: reported.status }, 'the operator has another status')
  return reported.status === 'ACTIVE'
}
