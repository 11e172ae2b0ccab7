import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { AdministratorPath, presentSession, SessionRecord, tags } from './records.ts'
import { administratorInPath, findSessions } from './store.ts'

export const listAdministratorSessions = operation('GET /administrators/:administrator_id/sessions', {
  access: 'listAdministratorSessions',
  tags,
  summary: 'List the sessions of an administrator',
  description: 'Active sessions, newest first.',
  params: AdministratorPath,
  querystring: PagingQuery,
  response: { 200: pageSchema(SessionRecord) },
  problems: ['not_found'],
  checkTargetFirst: administratorInPath,
  read: (call) => {
    const { db, clock } = call.deps
    const of = { administratorId: call.params.administrator_id, now: clock.now() }
    return paged(call, (page) => findSessions(db, { ...of, page }), presentSession)
  },
})
