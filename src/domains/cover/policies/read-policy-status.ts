import { responsePart } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { InsurancePolicyStatusRecord, PolicyPath, presentStatus, tags, versionOf } from './records.ts'
import { policyWithSinceInPath } from './store.ts'

export const readPolicyStatus = operation('GET /users/:user_id/insurance_policies/:insurance_policy_id/status', {
  access: 'readInsurancePolicyStatus',
  tags,
  summary: 'Read the status of an insurance policy',
  description:
    'Returns the status, as the lists, the timeline and the events state it, and the transitions this caller may make. ' +
    'A transition that is due by the calendar shows once it is made, within seconds; transitions by people are judged ' +
    'as if it were. The ETag is the policy’s.',
  params: PolicyPath,
  versioned: true,
  response: { 200: InsurancePolicyStatusRecord },
  target: policyWithSinceInPath,
  read: (call) => responsePart(call, versionOf(call.target.policy), presentStatus(call.target, call)),
})
