import type { Static } from 'typebox'
import { wireTime } from '../../../kernel/clock.ts'
import { UNAVAILABLE } from '../../../kernel/crypto/sealed-column.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import type { Delivery } from './delivery-store.ts'
import type { WebhookDelivery, WebhookEndpoint } from './schemas.ts'
import { TEXTS } from './seal-secret.ts'
import type { Endpoint } from './store.ts'

export const presentEndpoint = (vault: Vault, endpoint: Endpoint): Static<typeof WebhookEndpoint> => ({
  id: endpoint.id,
  url: endpoint.url,
  event_types: endpoint.eventTypes,
  description: descriptionOf(vault, endpoint),
  status: endpoint.status,
  disabled_reason: endpoint.disabledReason,
  created_at: endpoint.createdAt,
  last_modified_at: endpoint.lastModifiedAt,
})

function descriptionOf(vault: Vault, { id: endpointId, dataKey, sealedDescription }: Endpoint): string | null {
  if (sealedDescription === null) return null
  return TEXTS.sealed_description.openOr(() => vault.open(dataKey), { endpointId }, sealedDescription, UNAVAILABLE)
}

export const versionOf = (vault: Vault, endpoint: Endpoint) => ({
  record: presentEndpoint(vault, endpoint),
  revision: endpoint.revision,
})

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
