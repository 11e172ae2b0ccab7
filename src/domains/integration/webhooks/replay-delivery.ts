import { wireTime } from '../../../kernel/clock.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { By, Change } from '../../../record/index.ts'
import { type Delivery, findDelivery, REPEAT_DELIVERY } from './delivery-store.ts'
import { findReadableEndpoint } from './store.ts'
import { checkUsable } from './test-endpoint.ts'

/** Restarts a delivery. Throws 404, 409 when its endpoint is disabled. */
export async function replayDelivery(
  db: Queryable,
  { endpointId, deliveryId }: { endpointId: string; deliveryId: string },
  by: By,
): Promise<Change<Delivery>> {
  const endpoint = await findReadableEndpoint(db, by.caller, endpointId)
  const { id } = endpoint
  const delivery = await findDelivery(db, id, deliveryId)
  checkUsable(endpoint)
  return {
    result: { ...delivery, status: 'PENDING', nextAttemptAt: wireTime(by.at) },
    write: REPEAT_DELIVERY,
    values: [id, delivery.id, by.at],
  }
}
