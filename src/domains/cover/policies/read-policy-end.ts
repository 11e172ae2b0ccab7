import { userScopeFrom } from '../../../access/scope.ts'
import { responsePart } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { InsurancePolicyEndRecord, presentEnd } from './present-end.ts'
import { findPolicyWithEnd } from './end-store.ts'
import { PolicyPath, tags, versionOf } from './records.ts'

export const readPolicyEnd = operation('GET /users/:user_id/insurance_policies/:insurance_policy_id/end', {
  access: 'readInsurancePolicyEnd',
  tags,
  summary: 'Read the end of an insurance policy',
  description:
    'Returns the day on which a policy ends, or ended, before its term, why, and what is to be paid back. The ETag is the policy’s.',
  params: PolicyPath,
  versioned: true,
  response: { 200: InsurancePolicyEndRecord },
  target: ({ deps, request, params }) => findPolicyWithEnd(deps, userScopeFrom(request), params.insurance_policy_id),
  read: (call) => responsePart(call, versionOf(call.target.policy), presentEnd(call.target.policy, call.target.end)),
})
