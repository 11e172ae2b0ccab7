import type { Deps } from '../../deps.ts'
import { isOlder } from '../../kernel/id.ts'
import type { OutboxEvent } from '../../record/index.ts'
import { beginDeliveries } from './delivery-store.ts'
import { matchingTypes } from './matching-types.ts'
import { ADMINISTRATORS, type Owner } from './owner-of.ts'
import { listUsedEndpoints } from './store.ts'

/**
 * Creates the deliveries of events to every subscribed endpoint, in one statement. Endpoints do not get events from
 * before their creation.
 */
export async function fanOut({ db, clock }: Pick<Deps, 'db' | 'clock'>, events: OutboxEvent[]): Promise<void> {
  const recipients = new Map<string, { endpointId: string; types: ReadonlySet<string> }[]>()
  for (const { id: endpointId, owner, eventTypes } of await listUsedEndpoints(db)) {
    const known = recipients.get(keyOf(owner)) ?? []
    recipients.set(keyOf(owner), [...known, { endpointId, types: new Set(matchingTypes(eventTypes, owner.kind)) }])
  }
  const deliveries = events.flatMap((event, position) =>
    ownersOf(event)
      .flatMap((owner) => recipients.get(keyOf(owner)) ?? [])
      .filter(({ endpointId, types }) => types.has(event.type) && !isOlder(event.id, endpointId))
      .map(({ endpointId }) => ({ endpointId, eventId: event.id, position })),
  )
  if (deliveries.length > 0) await beginDeliveries(db, deliveries, clock.now())
}

const keyOf = ({ kind, id }: Owner) => `${kind}:${id}`

/** Returns the owners an event concerns; the catalogue decides which types they may receive. */
function ownersOf({ platformId, providerId }: OutboxEvent): Owner[] {
  return [
    ADMINISTRATORS,
    ...(platformId === null ? [] : [{ kind: 'platform' as const, id: platformId }]),
    ...(providerId === null ? [] : [{ kind: 'provider' as const, id: providerId }]),
  ]
}
