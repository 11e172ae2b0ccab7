import { Type } from 'typebox'
import { wireTime } from '../../../kernel/clock.ts'
import { PathId } from '../../../kernel/http/schemas.ts'
import { operation, responding } from '../../../record/index.ts'
import { findDelivery, REPEAT_DELIVERY } from './delivery-store.ts'
import { presentDelivery, tags, WebhookDelivery } from './records.ts'
import { checkUsable } from './states.ts'
import { readableEndpointInPath } from './store.ts'

export const replayWebhookDelivery = operation(
  'POST /webhook_endpoints/:webhook_endpoint_id/deliveries/:delivery_id/replay',
  {
    access: 'replayWebhookDelivery',
    tags,
    summary: 'Replay a delivery',
    description: 'Queues the delivery again, with ten new attempts. The event keeps its id.',
    params: Type.Object({
      webhook_endpoint_id: PathId('The webhook endpoint'),
      delivery_id: PathId('Id of the delivery, which is the id of its event'),
    }),
    response: { 200: WebhookDelivery },
    problems: ['conflict'],
    target: async (call) => {
      const endpoint = await readableEndpointInPath(call)
      return { endpoint, delivery: await findDelivery(call.deps.db, endpoint.id, call.params.delivery_id) }
    },
    serializeBy: ({ params }) => params.delivery_id,
    change: ({ target: { endpoint, delivery } }, { at }) => {
      checkUsable(endpoint)
      return {
        result: { ...delivery, status: 'PENDING' as const, nextAttemptAt: wireTime(at) },
        ...REPEAT_DELIVERY.with({ endpoint_id: endpoint.id, event_id: delivery.id, at }),
      }
    },
    present: (delivery) => responding(presentDelivery(delivery)),
  },
)
