import { conflict } from '../../../kernel/problem-error.ts'
import { newEvent, type StatusChange } from '../../../record/index.ts'
import { findPlatform } from './owner-of.ts'
import type { Endpoint } from './store.ts'

export const ENDPOINT_STATUSES = ['ACTIVE', 'DISABLED'] as const
type EndpointStatus = (typeof ENDPOINT_STATUSES)[number]

/** Why an endpoint is disabled: by its owner, after days of failures, or after a 410. */
export const DISABLED_REASONS = ['requested', 'failing', 'gone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** PENDING: to be sent or retried. FAILED: all attempts failed. */
export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export function endpointChange(endpoint: Endpoint, from: EndpointStatus | null) {
  const { id, owner, status, disabledReason } = endpoint
  const history: StatusChange[] = [{ userId: null, entityId: id, from, to: status }]
  const platformId = findPlatform(owner)
  const data = { webhook_endpoint_id: id, owner_kind: owner.kind, owner_id: owner.id }
  const event =
    disabledReason === null
      ? newEvent('webhook_endpoint.enabled', { platformId, data })
      : newEvent('webhook_endpoint.disabled', { platformId, data: { ...data, reason: disabledReason } })
  return { history, events: [event] }
}

/** Throws 409 when the endpoint is disabled. */
export function checkUsable({ status }: Pick<Endpoint, 'status'>): void {
  if (status === 'ACTIVE') return
  throw conflict('The webhook endpoint is disabled; set its status to ACTIVE first.', { reason: 'inactive' })
}
