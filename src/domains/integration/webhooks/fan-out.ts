import type { Queryable } from '../../../kernel/db/database.ts'
import type { OutboxEvent } from '../../../record/index.ts'
import { beginDeliveries } from './sender-store.ts'
import { matchingTypes } from './matching-types.ts'
import { ADMINISTRATORS, type Owner } from './owner-of.ts'
import { listUsedEndpoints } from './store.ts'

type Recipient = { endpointId: string; types: ReadonlySet<string>; beginsAt: bigint }

/**
 * Creates the deliveries of events to every subscribed endpoint, in one statement. Endpoints do not get events from
 * before their creation: by their positions in the log, because no clock orders what two processes write.
 */
export async function fanOut({ db }: { db: Queryable }, events: OutboxEvent[]): Promise<void> {
  const recipients = new Map<string, Recipient[]>()
  for (const { id: endpointId, owner, eventTypes, beginsAt } of await listUsedEndpoints(db)) {
    const endpoints = recipients.get(toKey(owner)) ?? []
    const types = new Set(matchingTypes(eventTypes, owner.kind))
    recipients.set(toKey(owner), [...endpoints, { endpointId, types, beginsAt: BigInt(beginsAt) }])
  }
  const deliveries = events.flatMap((event, place) =>
    listOwners(event)
      .flatMap((owner) => recipients.get(toKey(owner)) ?? [])
      .filter(({ types, beginsAt }) => types.has(event.type) && event.position >= beginsAt)
      .map(({ endpointId }) => ({ endpointId, eventId: event.id, place })),
  )
  if (deliveries.length > 0) await beginDeliveries(db, deliveries)
}

const toKey = ({ kind, id }: Owner) => `${kind}:${id}`

/** Returns the owners an event concerns; the catalogue decides which types they may receive. */
function listOwners({ platformId, providerId }: OutboxEvent): Owner[] {
  return [
    ADMINISTRATORS,
    ...(platformId === null ? [] : [{ kind: 'platform' as const, id: platformId }]),
    ...(providerId === null ? [] : [{ kind: 'provider' as const, id: providerId }]),
  ]
}
