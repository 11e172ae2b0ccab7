import { Type } from 'typebox'
import { operation, responding } from '../../../record/index.ts'
import { EndpointPath, example, tags, versionOf } from './records.ts'
import { DELETE_ENDPOINT, endpointInPath } from './store.ts'

export const deleteWebhookEndpoint = operation('DELETE /webhook_endpoints/:webhook_endpoint_id', {
  access: 'deleteWebhookEndpoint',
  tags,
  summary: 'Delete a webhook endpoint',
  description: 'Stops deliveries and deletes their log.',
  params: EndpointPath,
  response: { 200: Type.Object({ id: Type.String() }, { examples: [{ id: example.id }] }) },
  problems: ['precondition_failed'],
  target: endpointInPath,
  version: (endpoint, { deps }) => versionOf(deps.vault, endpoint),
  serializeBy: ({ params }) => params.webhook_endpoint_id,
  change: ({ target: { id, revision } }, { at }) => ({
    result: id,
    ...DELETE_ENDPOINT.with({ endpoint_id: id, revision, at }),
  }),
  present: (id) => responding({ id }),
})
