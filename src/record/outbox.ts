import { json, nullable, text, time } from '../kernel/db/columns.ts'
import { linkedInsert, type LinkedRows } from '../kernel/db/write-statement.ts'
import { newId } from '../kernel/id.ts'
import { traceparent } from '../kernel/tracing.ts'
import type { NewEvent } from './catalogue.ts'

export const LINKED_EVENTS = linkedInsert('events', {
  id: text('event_id'),
  type: text('type'),
  platformId: nullable(text('platform_id')),
  subject: nullable(text('subject')),
  data: json<object, 'data'>('data'),
  occurredAt: time('occurred_at'),
  traceparent: nullable(text('traceparent')),
})

export function toEventRows(events: readonly NewEvent[], at: Date): LinkedRows {
  const trace = traceparent() // undefined without tracing, and then no member of the row
  return LINKED_EVENTS.rows(
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
