import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { cursorPaged, LIMIT_DEFAULT } from '../../../kernel/http/paging.ts'
import type { App } from '../../../kernel/http/server.ts'
import { ensureUserInScope } from '../../people/users/index.ts'
import { presentEntry, presentForUser, type Summaries } from './present.ts'
import * as schemas from './schemas.ts'
import { BEGINNING, type Cursor, END, listAfter, listOfUser, SCANNED_MAX } from './store.ts'

/** Mounts the audit. `summaries` describe the operations, by id. */
export function auditRoutes(app: App, { db, summaries }: Pick<Deps, 'db'> & { summaries: Summaries }): void {
  app.get(
    '/audit_log',
    { schema: schemas.listAuditLogSchema, config: { access: matrix.listAuditLog } },
    async (request, reply) => {
      const { actor, subject, action: actions, after, limit = LIMIT_DEFAULT } = request.query
      const cursor = cursorOf(after) ?? BEGINNING
      const found = await listAfter(db, { filter: { actor, subject, actions }, after: cursor, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return cursorPaged(
        { request, reply },
        {
          data: page.filter(({ isMatch }) => isMatch).map(presentEntry),
          next: last ? textOf(last) : (after ?? null),
          hasMore: found.length > limit || last?.position === SCANNED_MAX,
          limit,
        },
      )
    },
  )

  app.get(
    '/users/:user_id/access_log',
    {
      schema: schemas.listAccessLogSchema,
      config: { access: matrix.listAccessLog, loadTarget: (request) => ensureUserInScope(db, userScopeFrom(request)) },
    },
    async (request, reply) => {
      const scope = userScopeFrom(request)
      await ensureUserInScope(db, scope)
      const { after, limit = LIMIT_DEFAULT } = request.query
      const before = cursorOf(after) ?? END
      const found = await listOfUser(db, { userId: scope.userId, before, limit: limit + 1 })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return cursorPaged(
        { request, reply },
        {
          data: page.map((entry) => presentForUser(entry, summaries)),
          next: last ? textOf(last) : (after ?? null),
          hasMore: found.length > limit,
          limit,
        },
      )
    },
  )
}

const textOf = ({ xid, id }: Cursor): string => `${xid}-${id}`

function cursorOf(after: string | undefined): Cursor | undefined {
  if (after === undefined) return undefined
  const [xid = '', id = ''] = after.split('-', 2)
  return { xid, id }
}
