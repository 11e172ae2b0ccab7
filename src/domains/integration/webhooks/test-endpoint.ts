import { wireTime } from '../../../kernel/clock.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { newId } from '../../../kernel/id.ts'
import { conflict } from '../../../kernel/problem-error.ts'
import { type By, type Change, newEvent } from '../../../record/index.ts'
import { type Delivery, INSERT_DELIVERY } from './delivery-store.ts'
import { ownerOf, platformOf } from './owner-of.ts'
import { type Endpoint, findEndpoint } from './store.ts'

/** Queues a test event for one endpoint only. Throws 404, 409 when it is disabled. */
export async function testEndpoint(db: Queryable, endpointId: string, by: By): Promise<Change<Delivery>> {
  const found = await findEndpoint(db, ownerOf(by.caller), endpointId)
  checkUsable(found)
  const { id: endpoint, owner } = found
  const id = newId('evt')
  const platformId = platformOf(owner)
  const event = newEvent('webhook_endpoint.tested', { platformId, data: { webhook_endpoint_id: endpoint } })
  const at = wireTime(by.at)
  return {
    result: { id, eventType: event.type, status: 'PENDING', attempts: [], nextAttemptAt: at, createdAt: at },
    write: INSERT_DELIVERY,
    values: [endpoint, id, by.at],
    events: [{ ...event, id }],
  }
}

/** Throws 409 when the endpoint is disabled. */
export function checkUsable({ status }: Pick<Endpoint, 'status'>): void {
  if (status === 'ACTIVE') return
  throw conflict('The webhook endpoint is disabled; set its status to ACTIVE first.', { reason: 'inactive' })
}
