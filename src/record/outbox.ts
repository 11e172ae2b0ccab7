import { json, nullable, text, time } from '../kernel/db/columns.ts'
import { insertPart, type PartRows } from '../kernel/db/write-statement.ts'
import { newId } from '../kernel/id.ts'
import { traceparent } from '../kernel/tracing.ts'
import type { NewEvent } from './catalogue.ts'

export const EVENTS_PART = insertPart('events', {
  id: text('event_id'),
  type: text('type'),
  platformId: nullable(text('platform_id')),
  subject: nullable(text('subject')),
  data: json<object, 'data'>('data'),
  occurredAt: time('occurred_at'),
  traceparent: nullable(text('traceparent')),
})

export function toEventRows(events: readonly NewEvent[], at: Date): PartRows {
  const trace = traceparent() // undefined without tracing, and then no member of the row
  return EVENTS_PART.rows(
    events.map(({ id = newId('evt'), type, platformId, subject, data }) => ({
      event_id: id,
      type,
      platform_id: platformId,
      subject,
      data,
      occurred_at: at,
      traceparent: trace,
    })),
  )
}
