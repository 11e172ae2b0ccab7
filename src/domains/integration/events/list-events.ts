import { Type } from 'typebox'
import { type Scope, toScope } from '../../../access/scope.ts'
import { listFilter, cursorPaged, cursorPageSchema, LIMIT_DEFAULT, pagingQuery } from '../../../kernel/http/paging.ts'
import { OneOf, Text } from '../../../kernel/http/schemas.ts'
import { timeOfId } from '../../../kernel/id.ts'
import { type FieldError, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import {
  type Deps,
  EVENT_RETENTION_DAYS,
  type EventType,
  operation,
  PUBLIC_TYPES,
  toEnvelope,
  typesFor,
} from '../../../record/index.ts'
import { Event } from './records.ts'
import { type Cursor, EVENT_ORDERS, findCursor, findNewest, listAfter, SCANNED_MAX } from './store.ts'

const DAY_MS = 24 * 3_600_000

/** The value of `after` besides event ids. */
const LATEST = 'latest'

export const listEvents = operation('GET /events', {
  access: 'listEvents',
  tags: ['Events'],
  summary: 'List events',
  description: `The events of the last ${EVENT_RETENTION_DAYS} days, oldest first, or newest first with \`order=desc\`. A platform gets its own events; a benefit provider those of its policies, their documents, its consultations, benefits, credentials and webhook endpoints.

Send \`next\` as \`after\` to continue: at once while \`has_more\` is true, otherwise whenever you like. You then miss nothing and get nothing twice. With \`type\`, a page can be short or empty although \`has_more\` is true. Without \`after\` the list starts ${EVENT_RETENTION_DAYS} days ago, with \`after=${LATEST}\` now.

An event is listed once every write that began before it has finished, usually within milliseconds. Events about one record are in the order in which they happened.`,
  querystring: Type.Object(
    {
      type: listFilter(PUBLIC_TYPES),
      subject: Type.Optional(
        Text({ maxLength: 100, description: 'Only events about the record with this id.', examples: ['012345678901'] }),
      ),
      order: Type.Optional(
        OneOf(EVENT_ORDERS, {
          description:
            '`asc`, the default: oldest first, for programs that follow. `desc`: newest first, and back in time, for people who look; it misses what happens until the last page.',
        }),
      ),
      limit: pagingQuery.limit,
      after: Type.Optional(
        Text({
          maxLength: 100,
          description: `Cursor: \`next\` of the previous page, which is the id of an event, or \`${LATEST}\`.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: cursorPageSchema(Type.Array(Event)) },
  read: async (call) => {
    const { type: types, subject, order = 'asc', after, limit = LIMIT_DEFAULT } = call.query
    const { db } = call.deps
    const selection = { scope: toScope(call.request.caller), subject }
    if (after === LATEST) {
      return cursorPaged(call, { data: [], next: (await findNewest(db, selection)) ?? null, hasMore: false, limit })
    }
    const cursor = after === undefined ? undefined : await requireCursor(call.deps, selection.scope, after)
    const wanted = readableTypes(selection.scope).filter((type) => types?.includes(type) ?? true)
    const events = await listAfter(db, { selection, types: wanted, order, after: cursor, limit: limit + 1 })
    const page = events.slice(0, limit)
    const last = page.at(-1)
    return cursorPaged(call, {
      data: page.filter(({ type }) => wanted.includes(type)).map(toEnvelope),
      next: last?.id ?? after ?? null,
      hasMore: events.length > limit || last?.position === SCANNED_MAX,
      limit,
    })
  },
})

function readableTypes({ platformId, providerId }: Scope): EventType[] {
  if (platformId !== null) return typesFor('platform')
  return typesFor(providerId === null ? 'administrators' : 'provider')
}

async function requireCursor({ db, clock }: Pick<Deps, 'db' | 'clock'>, scope: Scope, id: string): Promise<Cursor> {
  const cursor = await findCursor(db, scope, id)
  if (cursor) return cursor
  const at = timeOfId(id)?.getTime()
  throw invalid([at !== undefined && at < clock.now().getTime() - EVENT_RETENTION_DAYS * DAY_MS ? TOO_OLD : UNKNOWN])
}

const UNKNOWN = unknownReference(
  'query:after',
  'Unknown event, or not yours. Send the `next` of a previous page, or `latest`.',
)

const TOO_OLD: FieldError = {
  pointer: 'query:after',
  code: 'expired',
  detail: `This event is older than ${EVENT_RETENTION_DAYS} days. Start again without a cursor.`,
}
