import { type Decision, operation, responding, unchanged } from '../../../record/index.ts'
import { InsurancePolicyAssigneeRecord, presentAssignment } from './add-assignees.ts'
import { assigneeInPath, DELETE_ASSIGNEE, type FoundAssignee } from './assignee-store.ts'
import { PolicyPath, tags } from './records.ts'

export const releasePolicy = operation('DELETE /users/:user_id/insurance_policies/:insurance_policy_id/assignee', {
  access: 'releaseInsurancePolicy',
  tags,
  summary: 'Release an insurance policy',
  description:
    'Nobody works on it any more. Colleagues can release what somebody absent has taken up. Releasing what nobody has ' +
    'taken up changes nothing.',
  params: PolicyPath,
  response: { 200: InsurancePolicyAssigneeRecord },
  target: assigneeInPath,
  serializeBy: ({ params }) => params.insurance_policy_id,
  change: ({ target }) => decideRelease(target),
  present: (released) => responding(presentAssignment(released, [], released.scope)),
})

function decideRelease(found: FoundAssignee): Decision<FoundAssignee> {
  const { assigneeId, policyId, scope } = found
  if (assigneeId === null) return unchanged(found)
  return {
    result: { ...found, assigneeId: null, assignedAt: null },
    ...DELETE_ASSIGNEE.with({ user_id: scope.userId, policy_id: policyId, administrator_id: assigneeId }),
  }
}
