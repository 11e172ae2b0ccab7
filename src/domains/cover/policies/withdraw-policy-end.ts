import { scopeOnUser } from '../../../access/scope.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { changedPart, operation, unchanged } from '../../../record/index.ts'
import { InsurancePolicyEndRecord, presentEnd } from './present-end.ts'
import { findPolicyWithEnd } from './end-store.ts'
import { decideWithdrawal } from './decide-end.ts'
import { PolicyPath, tags, versionOf } from './records.ts'
import { endChange } from './set-policy-end.ts'
import { policyInPath } from './store.ts'

export const withdrawPolicyEnd = operation('DELETE /users/:user_id/insurance_policies/:insurance_policy_id/end', {
  access: 'withdrawInsurancePolicyEnd',
  tags,
  summary: 'Take back the end of an insurance policy',
  description:
    'Until that day. The policy has its term again, with its renewal window and grace. Where another policy of the plan covers the days after the end by ' +
    'now, it is a 409 `already_exists`. Of a policy without an end it changes nothing.',
  params: PolicyPath,
  versioned: true,
  response: { 200: InsurancePolicyEndRecord },
  problems: ['conflict', 'invalid_state', 'precondition_failed'],
  checkTargetFirst: policyInPath,
  serializeBy: ({ params }) => params.insurance_policy_id,
  change: async ({ deps, request, params }, author) => {
    const scope = scopeOnUser(author.caller, params.user_id)
    const found = await findPolicyWithEnd(deps, scope, params.insurance_policy_id)
    checkFresh(request.headers['if-match'], () => versionOf(found.policy))
    const now = { who: author.caller.kind, at: author.at, today: todayIn(deps.calendar) }
    const decided = decideWithdrawal(found, now)
    return decided ? endChange(deps, found, decided, author) : unchanged(found)
  },
  present: ({ policy, end }) => changedPart(versionOf(policy), presentEnd(policy, end)),
})
