import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { EndpointPath, tags, versionOf, WebhookEndpoint } from './records.ts'
import { readableEndpointInPath } from './store.ts'

export const readWebhookEndpoint = operation('GET /webhook_endpoints/:webhook_endpoint_id', {
  access: 'readWebhookEndpoint',
  tags,
  summary: 'Read a webhook endpoint',
  description: 'The secret is not returned.',
  params: EndpointPath,
  versioned: true,
  response: { 200: WebhookEndpoint },
  target: readableEndpointInPath,
  read: (call) => sendRecord(call, versionOf(call.deps.vault, call.target)),
})
