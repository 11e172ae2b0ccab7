import { Type } from 'typebox'
import { timeFrom } from '../../../kernel/clock.ts'
import { OneOf, UtcTime } from '../../../kernel/http/schemas.ts'
import { type FieldError, limitReached } from '../../../kernel/problem-error.ts'
import { operation, responding, unchanged } from '../../../record/index.ts'
import { countRange, repeatedRange } from './delivery-store.ts'
import { matchingTypes } from './matching-types.ts'
import { EndpointPath, tags, WebhookReplay } from './records.ts'
import { checkUsable } from './states.ts'
import { readableEndpointInPath } from './store.ts'

const EVENTS_MAX = 10_000

export const replayWebhookEvents = operation('POST /webhook_endpoints/:webhook_endpoint_id/replay', {
  access: 'replayWebhookEvents',
  tags,
  summary: 'Replay events of a time range',
  description:
    'Queues every event of the time range that matches the `event_types` of the endpoint, including events already delivered and those missed while it was disabled; with `status` `FAILED` only those whose delivery has failed. With `dry_run` nothing is queued, and `queued` says how many would be. Events are kept for 30 days; at most 10,000 can be replayed at once.',
  params: EndpointPath,
  body: Type.Object(
    {
      from: UtcTime('Start of the time range, in UTC'),
      to: UtcTime('End of the time range, exclusive, in UTC'),
      status: Type.Optional(OneOf(['FAILED'], { description: 'Only events whose delivery has this status' })),
      dry_run: Type.Optional(Type.Boolean({ description: 'Whether to count only' })),
    },
    { examples: [{ from: '2026-04-01T00:00:00', to: '2026-04-01T12:00:00' }] },
  ),
  response: { 200: WebhookReplay },
  problems: ['conflict'],
  validate: ({ body }) => rangeErrors((body ?? {}) as Record<string, unknown>),
  target: readableEndpointInPath,
  serializeBy: ({ params }) => params.webhook_endpoint_id,
  change: async ({ target: endpoint, deps, body }, { at }) => {
    const [from, to] = [timeFrom(body.from), timeFrom(body.to)] as [Date, Date]
    checkUsable(endpoint)
    const { id: endpointId, owner, eventTypes } = endpoint
    const types = matchingTypes(eventTypes, owner.kind)
    const range = { endpointId, owner, types, from, to, isFailed: body.status === 'FAILED' }
    const count = await countRange(deps.db, range, EVENTS_MAX + 1)
    if (count > EVENTS_MAX)
      throw limitReached(`The time range contains more than ${EVENTS_MAX} events. Choose shorter ranges.`)
    if (count === 0 || body.dry_run) return unchanged(count)
    return { result: count, ...repeatedRange(range, at) }
  },
  present: (queued) => responding({ queued }),
})

function rangeErrors(input: Record<string, unknown>): FieldError[] {
  const [from, to] = [timeFrom(input['from']), timeFrom(input['to'])]
  const isInOrder = !from || !to || from < to
  return isInOrder ? [] : [{ pointer: '/to', code: 'too_small', detail: 'Must be later than `from`.' }]
}
