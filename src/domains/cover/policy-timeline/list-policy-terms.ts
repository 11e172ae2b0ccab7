import { Type } from 'typebox'
import { userScopeFrom } from '../../../access/scope.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { policyInPath, PolicyPath } from '../policies/index.ts'
import { InsurancePolicyTermRecord } from './records.ts'
import { findTerms } from './terms-store.ts'

export const listPolicyTerms = operation('GET /users/:user_id/insurance_policies/:insurance_policy_id/terms', {
  access: 'listInsurancePolicyTerms',
  tags: ['Insurance policies'],
  summary: 'List the terms of an insurance policy',
  description:
    'The terms that the policy has covered, covers or will cover, the first one first, with their issues, prices and members. The ' +
    'policy itself shows the newest, which begins later than today where it was renewed early. Empty before the first issue.',
  params: PolicyPath,
  response: { 200: Type.Object({ data: Type.Array(ref(InsurancePolicyTermRecord)) }) },
  checkTargetFirst: policyInPath,
  read: async ({ deps, request, params }) => ({
    data: await findTerms(deps, userScopeFrom(request), params.insurance_policy_id),
  }),
})
