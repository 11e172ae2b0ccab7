import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageSchema, statusQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { ConsultationRecord, presentConsultation, tags } from './records.ts'
import { CONSULTATION_STATUSES } from './states.ts'
import { findConsultations } from './store.ts'

export const listConsultations = operation('GET /users/:user_id/consultations', {
  access: 'listConsultations',
  tags,
  summary: 'List the consultations of a user',
  description: 'Newest first.',
  params: UserPath,
  querystring: statusQuery(CONSULTATION_STATUSES),
  response: { 200: pageSchema(ConsultationRecord) },
  checkTargetFirst: ensureUserInPath,
  read: (call) => {
    const { status: statuses } = call.query
    const scope = userScopeFrom(call.request)
    return paged(call, (page) => findConsultations(call.deps.db, scope, { statuses, page }), presentConsultation)
  },
})
