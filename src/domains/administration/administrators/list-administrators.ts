import { paged, pageSchema, statusQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { AdministratorRecord, presentAdministrator, tags } from './records.ts'
import { ADMINISTRATOR_STATUSES } from './states.ts'
import { findAdministrators } from './store.ts'

export const listAdministrators = operation('GET /administrators', {
  access: 'listAdministrators',
  tags,
  summary: 'List administrators',
  description: 'Everyone who has ever logged in, newest first.',
  querystring: statusQuery(ADMINISTRATOR_STATUSES),
  response: { 200: pageSchema(AdministratorRecord) },
  read: (call) => {
    const { db, vault } = call.deps
    const { status: statuses } = call.query
    return paged(call, (page) => findAdministrators(db, vault, { statuses, page }), presentAdministrator)
  },
})
