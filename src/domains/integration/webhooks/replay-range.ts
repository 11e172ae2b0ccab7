import type { Queryable } from '../../../kernel/db/database.ts'
import { limitReached } from '../../../kernel/problem-error.ts'
import { type By, type Decision, unchanged } from '../../../record/index.ts'
import { countRange, type Range, repeatedRange } from './delivery-store.ts'
import { matchingTypes } from './matching-types.ts'
import { findReadableEndpoint } from './store.ts'
import { checkUsable } from './test-endpoint.ts'

const EVENTS_MAX = 10_000

/**
 * Delivers every subscribed event of a period again; returns their number. Throws 404, 409 when the endpoint is
 * disabled or there are too many.
 */
export async function replayRange(
  db: Queryable,
  { endpointId, ...span }: { endpointId: string } & Pick<Range, 'from' | 'to'>,
  by: By,
): Promise<Decision<number>> {
  const endpoint = await findReadableEndpoint(db, by.caller, endpointId)
  checkUsable(endpoint)
  const { id, owner, eventTypes } = endpoint
  const range = { owner, types: matchingTypes(eventTypes, owner.kind), ...span }
  const count = await countRange(db, range, EVENTS_MAX + 1)
  if (count > EVENTS_MAX)
    throw limitReached(`The time range contains more than ${EVENTS_MAX} events. Choose shorter ranges.`)
  if (count === 0) return unchanged(0)
  return { result: count, ...repeatedRange(range, { endpointId: id, at: by.at }) }
}
