import type { InsurancePolicyStatus } from '@banyan/client'
import { Modal, Text } from '@mantine/core'
import { useState } from 'react'
import { transitionsFor, type PolicyTransition } from '../../api/policy-transitions.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { useSession } from '../../api/session.ts'
import { type Field, ProblemForm, typed } from '../../parts/problem-form.tsx'
import { TransitionButtons } from '../../parts/transition-buttons.tsx'
import { useSetStatus } from './use-set-status.ts'

const NUMBERS: readonly Field[] = [
  { pointer: '/external_policy_id', label: 'Your policy number', hint: 'Left empty, it stays as it is' },
  { pointer: '/master_policy_number', label: 'Your group policy number' },
]

/** What can be done with the policy now; each transition says what follows from it before it is made. */
export function Transitions({ status, policy }: { status: InsurancePolicyStatus; policy: PolicyRef }) {
  const { role } = useSession()
  const [transition, setTransition] = useState<PolicyTransition>()
  const setStatus = useSetStatus(policy)
  const close = () => setTransition(undefined)

  const send = async (values: Readonly<Record<string, string>>) => {
    if (!transition) return
    await setStatus.mutateAsync({
      status: transition.to,
      reason: typed(values, '/reason'),
      external_policy_id: typed(values, '/external_policy_id'),
      master_policy_number: typed(values, '/master_policy_number'),
    })
    close()
  }

  return (
    <>
      <TransitionButtons
        transitions={transitionsFor(status.status, role)}
        allowed={status.allowed_transitions}
        whyNot={whyNot}
        choose={setTransition}
        isBusy={setStatus.isPending}
      />
      <Modal opened={transition !== undefined} onClose={close} title={transition?.label}>
        {transition && (
          <ProblemForm
            fields={[
              ...(transition.to === 'ISSUED' ? NUMBERS : []),
              {
                pointer: '/reason',
                label: 'Reason',
                hint: 'Kept in the history',
                isLong: true,
                isRequired: transition.needsReason === true,
              },
            ]}
            submit={transition.label}
            send={send}
            cancel={close}
          >
            <Text size="sm">{transition.effect}</Text>
          </ProblemForm>
        )}
      </Modal>
    </>
  )
}

/** A policy that covered people ends as expired, one that never did as rejected: the other is no transition of it. */
const whyNot = ({ to }: PolicyTransition): string | undefined =>
  to === 'REJECTED' || to === 'EXPIRED' ? undefined : 'Its present state or your role does not allow this.'
