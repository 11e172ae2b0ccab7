import { scopeOnUser } from '../../../access/scope.ts'
import { type By, type Decision, newEvent, unchanged } from '../../../record/index.ts'
import { type ErasureContext, eventOf } from './erase-user.ts'
import { CANCEL_ERASURE, findErasable } from './store.ts'

/**
 * Decides to cancel a scheduled erasure; false when there is none. Throws 404 for a user who is erased or not in scope.
 */
export async function cancelErasure(
  { db, statements }: Pick<ErasureContext, 'db' | 'statements'>,
  userId: string,
  by: By,
): Promise<Decision<boolean>> {
  const { person } = await findErasable(db, statements, scopeOnUser(by.caller, userId))
  if (person.waitsUntil === null) return unchanged(false)
  const events = [newEvent('user.erasure_cancelled', eventOf(person))]
  return { result: true, write: CANCEL_ERASURE, values: [userId], events }
}
