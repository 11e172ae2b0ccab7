import { newEvent, type StatusChange } from '../../record/index.ts'
import type { Endpoint } from './store.ts'

export const ENDPOINT_STATUSES = ['ACTIVE', 'DISABLED'] as const
export type EndpointStatus = (typeof ENDPOINT_STATUSES)[number]

/** Why an endpoint gets nothing: its owner said so, it failed for days, or it said that it is gone. */
export const DISABLED_REASONS = ['requested', 'failing', 'gone'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** PENDING: it is sent, or tried again. FAILED: it was tried as often as it is. */
export const DELIVERY_STATUSES = ['PENDING', 'DELIVERED', 'FAILED'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** What a new status of an endpoint leaves behind. */
export function endpointChange(endpoint: Endpoint, from: EndpointStatus | null) {
  const { id, owner, status, disabledReason } = endpoint
  const history: StatusChange[] = [{ userId: null, entityId: id, from, to: status }]
  const platformId = owner.kind === 'platform' ? owner.id : null
  const data = { webhook_endpoint_id: id, owner_kind: owner.kind, owner_id: owner.id }
  const event =
    disabledReason === null
      ? newEvent('webhook_endpoint.enabled', { platformId, data })
      : newEvent('webhook_endpoint.disabled', { platformId, data: { ...data, reason: disabledReason } })
  return { history, events: [event] }
}
