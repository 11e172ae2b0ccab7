import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageFrom, pageOf, PagingQuery } from '../../../kernel/http/paging.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { policyInPath, PolicyPath } from '../policies/index.ts'
import { presentEntry, TimelineEntryRecord } from './records.ts'
import { findTimeline } from './store.ts'

export const listPolicyTimeline = operation('GET /users/:user_id/insurance_policies/:insurance_policy_id/timeline', {
  access: matrix.listInsurancePolicyTimeline,
  tags: ['Insurance policies'],
  summary: 'List the timeline of an insurance policy',
  description:
    'Newest first: status changes with caller and reason, issues, uploaded and removed documents, and corrections ' +
    'of the member and the dependants.',
  params: PolicyPath,
  querystring: PagingQuery,
  response: { 200: pageOf(Type.Array(ref(TimelineEntryRecord))) },
  checkTargetFirst: policyInPath,
  read: async (call) => {
    const page = pageFrom(call.query)
    const query = { policyId: call.params.insurance_policy_id, page }
    const { rows, total } = await findTimeline(call.deps, userScopeFrom(call.request), query)
    return paged(call, { ...page, total }, rows.map(presentEntry))
  },
})
