import { columns, instant, json, nullable, oneOf, type RecordOf, text } from '../kernel/db/columns.ts'
import { EVENT_TYPES } from './catalogue.ts'

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
export const toEnvelope = ({ id, type, occurredAt, subject, platformId, data }: StoredEvent) => ({
  id,
  type,
  timestamp: occurredAt.toISOString(), // with `Z` and milliseconds
  subject,
  platform_id: platformId,
  data,
})
