import { columns, instant, json, nullable, oneOf, type RecordOf, text } from '../kernel/db/columns.ts'
import { EVENT_TYPES, type EventType } from './catalogue.ts'

export const STORED_EVENT = columns('e', {
  id: text('event_id'),
  type: oneOf('type', EVENT_TYPES),
  occurredAt: instant('occurred_at'),
  subject: text('subject'),
  platformId: nullable(text('platform_id')),
  data: json<Record<string, unknown>>('data'),
})

type StoredEvent = RecordOf<typeof STORED_EVENT>

/** The public form of an event, in the event log and in deliveries. */
type Envelope = {
  id: string
  type: EventType
  /** RFC 3339 with `Z` and milliseconds. */
  timestamp: string
  subject: string
  platform_id: string | null
  data: Record<string, unknown>
}

export const toEnvelope = ({ id, type, occurredAt, subject, platformId, data }: StoredEvent): Envelope => ({
  id,
  type,
  timestamp: occurredAt.toISOString(),
  subject,
  platform_id: platformId,
  data,
})
