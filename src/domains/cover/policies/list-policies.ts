import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageSchema, statusQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { InsurancePolicyRecord, presentPolicy, tags } from './records.ts'
import { POLICY_STATUSES } from './states.ts'
import { findPolicies } from './store.ts'

export const listPolicies = operation('GET /users/:user_id/insurance_policies', {
  access: 'listInsurancePolicies',
  tags,
  summary: 'List the insurance policies of a user',
  description: 'Newest first. `status` may be repeated. Benefit providers see only policies of their own benefits.',
  params: UserPath,
  querystring: statusQuery(POLICY_STATUSES),
  response: { 200: pageSchema(InsurancePolicyRecord) },
  isBatched: true,
  checkTargetFirst: ensureUserInPath,
  read: (call) => {
    const of = { ...userScopeFrom(call.request), statuses: call.query.status }
    return paged(call, (page) => findPolicies(call.deps, { ...of, ...page }), presentPolicy)
  },
})
