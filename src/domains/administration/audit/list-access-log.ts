import { Type } from 'typebox'
import { cursorPaged, cursorPageSchema, LIMIT_DEFAULT, pagingQuery } from '../../../kernel/http/paging.ts'
import { type Deps, operationIn } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { AccessEntry, After, cursorFrom, presentCursor, presentForUser, type Summaries, tags } from './records.ts'
import { END, listOfUser } from './store.ts'

export const listAccessLog = operationIn<Deps & { summaries: Summaries }>()('GET /users/:user_id/access_log', {
  access: 'listAccessLog',
  tags,
  summary: 'List accesses to a user’s data',
  description: 'Newest first. A read is listed within a second. Send `next` as `after` to continue.',
  params: UserPath,
  querystring: Type.Object({ limit: pagingQuery.limit, after: After }, { additionalProperties: false }),
  response: { 200: cursorPageSchema(Type.Array(AccessEntry)) },
  target: ensureUserInPath,
  read: async (call) => {
    const { db, summaries } = call.deps
    const { after, limit = LIMIT_DEFAULT } = call.query
    const before = cursorFrom(after) ?? END
    const entries = await listOfUser(db, { userId: call.params.user_id, before, limit: limit + 1 })
    const page = entries.slice(0, limit)
    const last = page.at(-1)
    return cursorPaged(call, {
      data: page.map((entry) => presentForUser(entry, summaries)),
      next: last ? presentCursor(last) : (after ?? null),
      hasMore: entries.length > limit,
      limit,
    })
  },
})
