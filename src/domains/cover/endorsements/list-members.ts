import { responsePart } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { PolicyPath, versionOf } from '../policies/records.ts'
import { policyInPath } from '../policies/store.ts'
import { InsurancePolicyMembersRecord, presentMembers } from './present-members.ts'

export const listMembers = operation('GET /users/:user_id/insurance_policies/:insurance_policy_id/members', {
  access: 'listInsurancePolicyMembers',
  tags: ['Insurance policies'],
  summary: 'List who is on an insurance policy',
  description:
    'The user and the dependants, with their first and last days: also those who have left, and those that the benefit provider has not accepted yet. ' +
    'Before the first issue it is who is asked for. The ETag is the policy’s.',
  params: PolicyPath,
  versioned: true,
  response: { 200: InsurancePolicyMembersRecord },
  target: policyInPath,
  read: (call) => responsePart(call, versionOf(call.target), presentMembers(call.target)),
})
