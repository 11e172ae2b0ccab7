import { insertPart, type PartRow } from '../kernel/db/write-statement.ts'
import { newId } from '../kernel/id.ts'
import { traceparent } from '../kernel/tracing.ts'
import type { NewEvent } from './catalogue.ts'

/** Inserts the events of a write into the outbox, in the write's own statement. */
export const EVENTS_PART = insertPart(
  'events',
  'event_id text, type text, platform_id text, subject text, data jsonb, occurred_at timestamptz, traceparent text',
)

export function rowsOfEvents(events: readonly NewEvent[], at: Date): PartRow[] {
  const trace = traceparent() // undefined without tracing, and then no member of the row
  return events.map(({ id = newId('evt'), type, platformId, subject, data }) => ({
    event_id: id,
    type,
    platform_id: platformId,
    subject,
    data,
    occurred_at: at,
    traceparent: trace,
  }))
}
