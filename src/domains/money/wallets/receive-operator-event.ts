import type { Database } from '../../../kernel/db/database.ts'
import { type By, type Decision, unchanged } from '../../../record/index.ts'
import type { OperatorWallet } from './operator.ts'
import { applyOperatorStatus } from './provision-wallet.ts'
import { findReference, INSERT_OPERATOR_EVENT, OPERATOR_EVENTS_PART } from './store.ts'

type OperatorEvent = OperatorWallet & { event_id: string; reference: string }

/**
 * Decides what an event of the operator changes. The result is false when the event was received before. An unknown
 * reference is accepted and changes nothing.
 */
export async function receiveOperatorEvent(
  db: Database,
  { event_id: eventId, reference, status, sequence }: OperatorEvent,
  by: By,
): Promise<Decision<boolean>> {
  const { isKnown, wallet } = await findReference(db, { reference, eventId })
  if (isKnown) return unchanged(false)
  const change = wallet && applyOperatorStatus(wallet, { status, sequence }, by)
  if (!change?.write) return { result: true, write: INSERT_OPERATOR_EVENT, values: [eventId] }
  return { ...change, result: true, rows: OPERATOR_EVENTS_PART.rows([{ event_id: eventId }]) }
}
