import { Type } from 'typebox'
import { actorOf } from '../../../access/caller.ts'
import { listFilter, cursorPaged, cursorPageSchema, LIMIT_DEFAULT, pagingQuery } from '../../../kernel/http/paging.ts'
import { toPeriod } from '../../../kernel/clock.ts'
import { DayText, OneOf, Text } from '../../../kernel/http/schemas.ts'
import { AUDIT_ACTIONS, type Deps, operationIn } from '../../../record/index.ts'
import { After, AuditEntry, cursorFrom, presentCursor, presentEntry, type Summaries, tags } from './records.ts'
import { isBeyond, listAfter, ORDERS, SCANNED_MAX } from './store.ts'

/** The caller, as an actor. */
const ME = 'me'

export const listAuditLog = operationIn<Deps & { summaries: Summaries }>()('GET /audit_log', {
  access: 'listAuditLog',
  tags,
  summary: 'List the audit log',
  description:
    'Changes, reads of sealed personal data, revocations, and administrator tokens made on the command line; oldest first, or newest first with `order=desc`. Send `next` as `after`, with the same `order` and filters, to continue. With a filter, a page can be short or empty although `has_more` is true. Owners read all of it, everybody else what they have done themselves, which is `actor=me`.',
  querystring: Type.Object(
    {
      actor: Type.Optional(
        Text({
          description:
            'Only entries of this caller: its kind and id, or the id of a person or a company alone; `me` for your own.',
          examples: ['viewer:command-line'],
        }),
      ),
      subject: Type.Optional(
        Text({
          maxLength: 100,
          description: 'Only entries about the record with this id.',
          examples: ['012345678901'],
        }),
      ),
      action: listFilter(AUDIT_ACTIONS),
      from: Type.Optional(DayText({ description: 'Only entries of this day (India) and later ones.' })),
      to: Type.Optional(DayText({ description: 'Only entries of this day (India) and earlier ones.' })),
      order: Type.Optional(
        OneOf(ORDERS, { description: '`asc`, the default: oldest first. `desc`: newest first, and back in time.' }),
      ),
      limit: pagingQuery.limit,
      after: After,
    },
    { additionalProperties: false },
  ),
  response: { 200: cursorPageSchema(Type.Array(AuditEntry)) },
  validate: ({ caller, query }) => {
    const { actor } = query as { actor?: unknown }
    if (caller.kind === 'owner' || actor === undefined || actor === ME) return []
    return [{ pointer: 'query:actor', code: 'not_allowed', detail: 'Must be `me`, or omitted.' }]
  },
  read: async (call) => {
    const { actor, subject, action: actions, order = 'asc', after, limit = LIMIT_DEFAULT } = call.query
    const { caller } = call.request
    const isOwn = caller.kind !== 'owner' || actor === ME
    const filter = { actor: isOwn ? actorOf(caller) : actor, subject, actions, ...toPeriod(call.query) }
    const entries = await listAfter(call.deps.db, { filter, order, after: cursorFrom(after), limit: limit + 1 })
    const page = entries.slice(0, limit)
    const last = page.at(-1)
    return cursorPaged(call, {
      data: page.filter(({ isMatch }) => isMatch).map((entry) => presentEntry(entry, call.deps.summaries)),
      next: last ? presentCursor(last) : (after ?? null),
      hasMore: (entries.length > limit || last?.position === SCANNED_MAX) && !(last && isBeyond(last, filter, order)),
      limit,
    })
  },
})
