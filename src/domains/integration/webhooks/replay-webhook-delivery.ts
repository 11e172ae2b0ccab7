import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { PathId, ref } from '../../../kernel/http/schemas.ts'
import { operation, responding } from '../../../record/index.ts'
import { findDelivery, REPEAT_DELIVERY } from './delivery-store.ts'
import { presentDelivery, tags, WebhookDelivery } from './records.ts'
import { checkUsable } from './states.ts'
import { readableEndpointInPath } from './store.ts'

export const replayWebhookDelivery = operation(
  'POST /webhook_endpoints/:webhook_endpoint_id/deliveries/:delivery_id/replay',
  {
    access: matrix.replayWebhookDelivery,
    tags,
    summary: 'Replay a delivery',
    description: 'Queues the delivery again, with ten new attempts. The event keeps its id.',
    params: Type.Object({
      webhook_endpoint_id: PathId('The webhook endpoint'),
      delivery_id: PathId('Id of the delivery, which is the id of its event'),
    }),
    response: { 200: ref(WebhookDelivery) },
    problems: ['conflict'],
    checkTargetFirst: async (call) =>
      findDelivery(call.deps.db, (await readableEndpointInPath(call)).id, call.params.delivery_id),
    serializeBy: ({ params }) => params.delivery_id,
    decide: async (call, { at }) => {
      const endpoint = await readableEndpointInPath(call)
      const delivery = await findDelivery(call.deps.db, endpoint.id, call.params.delivery_id)
      checkUsable(endpoint)
      return {
        result: { ...delivery, status: 'PENDING' as const, nextAttemptAt: wireTime(at) },
        ...REPEAT_DELIVERY.with({ endpoint_id: endpoint.id, event_id: delivery.id, at }),
      }
    },
    present: (delivery) => responding(presentDelivery(delivery)),
  },
)
