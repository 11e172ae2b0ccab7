import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { paged, pageFrom, pageOf, statusQuery } from '../../../kernel/http/paging.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { AdministratorRecord, presentAdministrator, tags } from './records.ts'
import { ADMINISTRATOR_STATUSES } from './states.ts'
import { findAdministrators } from './store.ts'

export const listAdministrators = operation('GET /administrators', {
  access: matrix.listAdministrators,
  tags,
  summary: 'List administrators',
  description: 'Everyone who has ever logged in, newest first.',
  querystring: statusQuery(ADMINISTRATOR_STATUSES),
  response: { 200: pageOf(Type.Array(ref(AdministratorRecord))) },
  read: async (call) => {
    const { db, vault } = call.deps
    const page = pageFrom(call.query)
    const { rows, total } = await findAdministrators(db, vault, { statuses: call.query.status, page })
    return paged(call, { ...page, total }, rows.map(presentAdministrator))
  },
})
