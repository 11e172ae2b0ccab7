import type { InsurancePolicyAssignee } from '@banyan/client'
import { useSession } from '../api/session.ts'

/** Who works on a policy, as far as the reader may know the name. */
export function AssigneeName({ assignee }: Pick<InsurancePolicyAssignee, 'assignee'>) {
  const { id, role } = useSession()
  if (assignee === null) return <span className="quiet">–</span>
  if (assignee.id === id) return <>You</>
  if (assignee.name !== null) return <bdi>{assignee.name}</bdi>
  return <>{role === 'benefit_provider' ? 'An administrator' : 'Somebody'}</>
}
