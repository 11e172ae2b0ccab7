import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { policyInPath, PolicyPath } from '../policies/index.ts'
import { TimelineEntryRecord } from './records.ts'
import { findTimeline } from './store.ts'

export const listPolicyTimeline = operation('GET /users/:user_id/insurance_policies/:insurance_policy_id/timeline', {
  access: 'listInsurancePolicyTimeline',
  tags: ['Insurance policies'],
  summary: 'List the timeline of an insurance policy',
  description:
    'Newest first: status changes with caller and reason, issues, uploaded and removed documents, corrections ' +
    'of the member and the dependants, and ends that were set and taken back.',
  params: PolicyPath,
  querystring: PagingQuery,
  response: { 200: pageSchema(TimelineEntryRecord) },
  checkTargetFirst: policyInPath,
  read: (call) => {
    const scope = userScopeFrom(call.request)
    const { insurance_policy_id: policyId } = call.params
    return paged(
      call,
      (page) => findTimeline(call.deps, scope, { policyId, page }),
      (entry) => entry,
    )
  },
})
