import { READ_AGAIN, sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { InsurancePolicyRecord, PolicyPath, tags, versionOf } from './records.ts'
import { policyInPath } from './store.ts'

export const readPolicy = operation('GET /users/:user_id/insurance_policies/:insurance_policy_id', {
  access: 'readInsurancePolicy',
  tags,
  summary: 'Read an insurance policy',
  description: READ_AGAIN,
  params: PolicyPath,
  versioned: true,
  response: { 200: InsurancePolicyRecord },
  target: policyInPath,
  read: (call) => sendRecord(call, versionOf(call.target)),
})
