import type { InsurancePolicyAssignee } from '@banyan/client'
import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { assigneeQuery, type PolicyRef, releasePolicy, takeUpPolicy } from '../../api/policies.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { AssigneeName } from '../../parts/assignee-name.tsx'
import { notifyError } from '../../parts/notices.tsx'

/** Who works on the policy; a click takes it up, takes it over or releases it. */
export function Assignee({ policy }: { policy: PolicyRef }) {
  const session = useSession()
  const queries = useQueryClient()
  const options = assigneeQuery(policy)
  const { data } = useQuery(options)
  const change = useMutation({
    mutationFn: (send: () => Promise<InsurancePolicyAssignee>) => send(),
    onSuccess: (assigned) => queries.setQueryData(options.queryKey, assigned),
    onError: notifyError,
    // What a colleague did meanwhile is shown, too.
    onSettled: () =>
      Promise.all([options.queryKey, ['policies']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
  if (!data) return null
  const { assignee } = data
  const isMine = assignee?.id === session.id
  const isFree = assignee === null
  const mayAssign = may(session.role, 'assignInsurancePolicy')
  return (
    <Group gap="sm" mt="sm">
      <Text size="sm" aria-live="polite">
        Assigned to {isFree ? 'nobody' : <AssigneeName assignee={assignee} />}
      </Text>
      {mayAssign && !isMine && (
        <Button
          size="compact-xs"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate(() => takeUpPolicy(policy, !isFree))}
        >
          {isFree ? 'Assign to me' : 'Take over'}
        </Button>
      )}
      {mayAssign && !isFree && (
        <Button
          size="compact-xs"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate(() => releasePolicy(policy))}
        >
          Release
        </Button>
      )}
    </Group>
  )
}
