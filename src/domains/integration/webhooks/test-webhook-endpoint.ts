import { wireTime } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/id.ts'
import { type Author, type Change, newEvent, operation, responding } from '../../../record/index.ts'
import { type Delivery, INSERT_DELIVERY } from './delivery-store.ts'
import { findPlatform } from './owner-of.ts'
import { EndpointPath, presentDelivery, tags, WebhookDelivery } from './records.ts'
import { checkUsable } from './states.ts'
import { type Endpoint, endpointInPath } from './store.ts'

export const testWebhookEndpoint = operation('POST /webhook_endpoints/:webhook_endpoint_id/test', {
  access: 'testWebhookEndpoint',
  tags,
  summary: 'Send a test event to a webhook endpoint',
  description: 'Queues a `webhook_endpoint.tested` event for this endpoint only, whatever its `event_types`.',
  params: EndpointPath,
  response: { 200: WebhookDelivery },
  problems: ['conflict'],
  target: endpointInPath,
  change: ({ target }, author) => decideTest(target, author),
  present: (delivery) => responding(presentDelivery(delivery)),
})

function decideTest(endpoint: Endpoint, { at }: Author): Change<Delivery> {
  checkUsable(endpoint)
  const id = newId('evt')
  const data = { webhook_endpoint_id: endpoint.id }
  const event = newEvent('webhook_endpoint.tested', { platformId: findPlatform(endpoint.owner), data })
  const now = wireTime(at)
  return {
    result: { id, eventType: event.type, status: 'PENDING', attempts: [], nextAttemptAt: now, createdAt: now },
    ...INSERT_DELIVERY.with({ endpoint_id: endpoint.id, event_id: id, at }),
    events: [{ ...event, id }],
  }
}
