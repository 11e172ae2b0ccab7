import { operation } from '../../../record/index.ts'
import { type FindPersons, InsurancePolicyAssigneeRecord, presentAssignment } from './add-assignees.ts'
import { assigneeInPath } from './assignee-store.ts'
import { PolicyPath, tags } from './records.ts'

export const readPolicyAssignee = (findPersons: FindPersons) =>
  operation('GET /users/:user_id/insurance_policies/:insurance_policy_id/assignee', {
    access: 'readInsurancePolicyAssignee',
    tags,
    summary: 'Read who works on an insurance policy',
    description:
      'Who has taken it up, and since when; lists across users have the same, and filter by it with `assignee`.',
    params: PolicyPath,
    response: { 200: InsurancePolicyAssigneeRecord },
    target: assigneeInPath,
    read: async ({ deps, target }) => {
      const { assigneeId, scope } = target
      return presentAssignment(target, assigneeId === null ? [] : await findPersons(deps, [assigneeId]), scope)
    },
  })
