import type { Static } from 'typebox'
import { wireTime } from '../../kernel/clock.ts'
import type { Delivery } from './delivery-store.ts'
import type { WebhookDelivery, WebhookEndpoint } from './schemas.ts'
import type { Endpoint } from './store.ts'

export const presentEndpoint = (endpoint: Endpoint): Static<typeof WebhookEndpoint> => ({
  id: endpoint.id,
  url: endpoint.url,
  event_types: endpoint.eventTypes,
  description: endpoint.description,
  status: endpoint.status,
  disabled_reason: endpoint.disabledReason,
  created_at: endpoint.createdAt,
  last_modified_at: endpoint.lastModifiedAt,
})

export const versionOf = (endpoint: Endpoint) => ({ record: presentEndpoint(endpoint), revision: endpoint.revision })

export const presentDelivery = (delivery: Delivery): Static<typeof WebhookDelivery> => ({
  id: delivery.id,
  event_type: delivery.eventType,
  status: delivery.status,
  attempts: delivery.attempts.map(({ at_ms, status, failure, duration_ms, excerpt }) => ({
    at: wireTime(new Date(at_ms)),
    status,
    error: failure,
    duration_ms,
    response: excerpt,
  })),
  next_attempt_at: delivery.nextAttemptAt,
  created_at: delivery.createdAt,
})
