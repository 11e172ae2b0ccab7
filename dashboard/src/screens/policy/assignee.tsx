import type { BenefitId, InsurancePolicyAssignee } from '@banyan/client'
import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { assigneeQuery, assignPolicy, type PolicyRef, releasePolicy } from '../../api/policies.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { AssigneeName } from '../../parts/assignee-name.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { notifyError } from '../../parts/notices.tsx'
import { AssignForm } from './assign-form.tsx'

type AssigneeSettings = {
  policy: PolicyRef
  /** Known once the policy is read. */
  benefitId: BenefitId | undefined
}

/** Who works on the policy; a click takes it up, takes it over, gives it to a colleague or releases it. */
export function Assignee({ policy, benefitId }: AssigneeSettings) {
  const session = useSession()
  const queries = useQueryClient()
  const [asks, setAsks] = useState(false)
  const options = assigneeQuery(policy)
  const { data } = useQuery(options)
  // What a colleague did meanwhile is shown, too.
  const readAgain = () =>
    Promise.all([options.queryKey, ['policies']].map((queryKey) => queries.invalidateQueries({ queryKey })))
  const change = useMutation({
    mutationFn: (send: () => Promise<InsurancePolicyAssignee>) => send(),
    onSuccess: (assigned) => queries.setQueryData(options.queryKey, assigned),
    onError: notifyError,
    onSettled: readAgain,
  })
  if (!data) return null
  const { assignee } = data
  const isMine = assignee?.id === session.id
  const isFree = assignee === null
  const close = () => setAsks(false)
  const buttons = [
    !isMine && {
      label: isFree ? 'Assign to me' : 'Take over',
      act: () => change.mutate(() => assignPolicy(policy, { takesOver: !isFree })),
    },
    benefitId !== undefined && { label: 'Assign…', act: () => setAsks(true) },
    !isFree && { label: 'Release', act: () => change.mutate(() => releasePolicy(policy)) },
  ]
  return (
    <Group gap="sm" mt="sm">
      <Text size="sm" aria-live="polite">
        Assigned to {isFree ? 'nobody' : <AssigneeName assignee={assignee} />}
      </Text>
      {may(session.role, 'assignInsurancePolicy') &&
        buttons.map(
          (button) =>
            button && (
              <Button
                key={button.label}
                size="compact-xs"
                variant="default"
                loading={change.isPending}
                onClick={button.act}
              >
                {button.label}
              </Button>
            ),
        )}
      <Dialog opened={asks} close={close} title="Assign the policy">
        {benefitId !== undefined && (
          <AssignForm policy={policy} benefitId={benefitId} isTaken={!isFree} close={close} done={readAgain} />
        )}
      </Dialog>
    </Group>
  )
}
