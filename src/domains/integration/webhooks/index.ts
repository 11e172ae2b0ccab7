import { createWebhookEndpoint } from './create-webhook-endpoint.ts'
import { deleteWebhookEndpoint } from './delete-webhook-endpoint.ts'
import { listWebhookDeliveries } from './list-webhook-deliveries.ts'
import { listWebhookEndpoints } from './list-webhook-endpoints.ts'
import { readWebhookEndpoint } from './read-webhook-endpoint.ts'
import { replayWebhookDelivery } from './replay-webhook-delivery.ts'
import { replayWebhookEvents } from './replay-webhook-events.ts'
import { rotateWebhookSecret } from './rotate-webhook-secret.ts'
import { testWebhookEndpoint } from './test-webhook-endpoint.ts'
import { updateWebhookEndpoint } from './update-webhook-endpoint.ts'

export { deleteOldDeliveries } from './delivery-store.ts'
export { OPENAPI_WEBHOOKS, TEXTS as ENDPOINT_TEXTS } from './records.ts'
export { startDelivering } from './start-delivering.ts'
export { DISABLED_REASONS } from './states.ts'

export const webhookOperations = [
  createWebhookEndpoint,
  listWebhookEndpoints,
  readWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  listWebhookDeliveries,
  replayWebhookDelivery,
  replayWebhookEvents,
]
