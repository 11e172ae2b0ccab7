import { paged, pageSchema, statusQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { findDeliveries } from './delivery-store.ts'
import { EndpointPath, presentDelivery, tags, WebhookDelivery } from './records.ts'
import { DELIVERY_STATUSES } from './states.ts'
import { readableEndpointInPath } from './store.ts'

export const listWebhookDeliveries = operation('GET /webhook_endpoints/:webhook_endpoint_id/deliveries', {
  access: 'listWebhookDeliveries',
  tags,
  summary: 'List the deliveries of a webhook endpoint',
  description: 'Deliveries of the last 30 days with their attempts, newest event first.',
  params: EndpointPath,
  querystring: statusQuery(DELIVERY_STATUSES),
  response: { 200: pageSchema(WebhookDelivery) },
  target: readableEndpointInPath,
  read: (call) => {
    const of = { endpointId: call.target.id, statuses: call.query.status ?? null }
    return paged(call, (page) => findDeliveries(call.deps.db, { ...of, page }), presentDelivery)
  },
})
