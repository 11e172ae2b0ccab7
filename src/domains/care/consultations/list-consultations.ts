import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageFrom, pageOf, statusQuery } from '../../../kernel/http/paging.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { ConsultationRecord, presentConsultation, tags } from './records.ts'
import { CONSULTATION_STATUSES } from './states.ts'
import { findConsultations } from './store.ts'

export const listConsultations = operation('GET /users/:user_id/consultations', {
  access: matrix.listConsultations,
  tags,
  summary: 'List the consultations of a user',
  description: 'Newest first.',
  params: UserPath,
  querystring: statusQuery(CONSULTATION_STATUSES),
  response: { 200: pageOf(Type.Array(ref(ConsultationRecord))) },
  checkTargetFirst: ensureUserInPath,
  read: async (call) => {
    const { deps, query, request } = call
    const page = pageFrom(query)
    const filter = { statuses: query.status, page }
    const { rows, total } = await findConsultations(deps.db, userScopeFrom(request), filter)
    return paged(call, { ...page, total }, rows.map(presentConsultation))
  },
})
