import { type InsurancePolicyStatus, PreconditionFailedError } from '@banyan/client'
import { Alert, List, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { transitionsFor, type PolicyTransition } from '../../api/policy-transitions.ts'
import { type PolicyRef, policyStatusQuery, readUnseenCorrections } from '../../api/policies.ts'
import { personsVersionIn } from '../../api/problem.ts'
import { useSession } from '../../api/session.ts'
import type { UnseenCorrection } from '../../api/unseen-corrections.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { type Field, ProblemForm, typed } from '../../parts/problem-form.tsx'
import { ShortDepositOf } from '../../parts/short-deposits.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TransitionButtons } from '../../parts/transition-buttons.tsx'
import { Ago } from '../../parts/when.tsx'
import { useSetStatus } from './use-set-status.ts'

const NUMBERS: readonly Field[] = [
  { pointer: '/external_policy_id', label: 'Your policy number', hint: 'Left empty, it stays as it is' },
  { pointer: '/master_policy_number', label: 'Your group policy number' },
]

type Choice = {
  transition: PolicyTransition
  /** The state that it was chosen upon. */
  seen: InsurancePolicyStatus
  /** Who was corrected since the status was last set, as shown, and the number that says so. */
  corrected?: { version: number; persons: readonly UnseenCorrection[] }
}

/** What can be done with the policy now; each transition says what follows from it before it is made. */
export function Transitions({ status, policy }: { status: InsurancePolicyStatus; policy: PolicyRef }) {
  const { role } = useSession()
  const [choice, setChoice] = useState<Choice>()
  const setStatus = useSetStatus(policy)
  const queries = useQueryClient()
  const transition = choice?.transition
  const close = () => setChoice(undefined)

  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    if (!choice) return
    const body = {
      status: choice.transition.to,
      reason: typed(values, '/reason'),
      external_policy_id: typed(values, '/external_policy_id'),
      master_policy_number: typed(values, '/master_policy_number'),
      persons_version: choice.corrected?.version,
    }
    try {
      await setStatus({ body, seen: choice.seen, signal })
    } catch (error) {
      // Read again by now: who goes on decides upon that.
      const seen = queries.getQueryData(policyStatusQuery(policy).queryKey)
      if (error instanceof PreconditionFailedError && seen) setChoice({ ...choice, seen })
      const version = personsVersionIn(error)
      if (version === undefined) throw error
      // The number is sent only by who has them in view.
      setChoice({ ...choice, corrected: { version, persons: await readUnseenCorrections(policy) } })
      return
    }
    close()
  }

  return (
    <>
      <TransitionButtons
        transitions={transitionsFor(status.status, role)}
        allowed={status.allowed_transitions}
        whyNot={whyNot}
        isNothingSaid={status.is_sent_back}
        choose={(chosen) => setChoice({ transition: chosen, seen: status })}
      />
      <Dialog opened={transition !== undefined} close={close} title={transition?.label}>
        {choice && transition && (
          <ProblemForm
            fields={[
              ...(transition.to === 'ISSUED' ? NUMBERS : []),
              {
                pointer: '/reason',
                label: 'Reason',
                hint: 'Kept in the history, which the partner and the person can read',
                isLong: true,
                isRequired: transition.needsReason === true,
              },
            ]}
            submit={choice.corrected ? `${transition.label} with these details` : transition.label}
            isDangerous={transition.isDangerous}
            send={send}
            cancel={close}
            remedy={(error) => <ShortDepositOf policy={policy} error={error} />}
            conflict={{
              theirs: (
                <>
                  <StateBadge state={status.status} /> <Ago at={status.since} />
                </>
              ),
              isPossible: status.allowed_transitions.some((to) => to === transition.to),
            }}
          >
            <Text size="sm">{transition.effect}</Text>
            {choice.corrected && <Corrected persons={choice.corrected.persons} />}
          </ProblemForm>
        )}
      </Dialog>
    </>
  )
}

/** Who is not any more the person that was looked at. */
function Corrected({ persons }: { persons: readonly UnseenCorrection[] }) {
  return (
    <Alert color="yellow" variant="outline" role="alert" title="Corrected since its status was last set">
      <List size="sm" mb="xs">
        {persons.length === 0 && <List.Item>Somebody; the timeline says who</List.Item>}
        {persons.map(({ person, fields }) => (
          <List.Item key={person}>
            <b dir="auto">{person}</b>: {fields}
          </List.Item>
        ))}
      </List>
      <Text size="sm">Nothing has changed yet. Go on only if you have looked at these people.</Text>
    </Alert>
  )
}

/** A policy that covered people ends as expired, one that never did as rejected: the other is no transition of it. */
const whyNot = ({ to }: PolicyTransition): string | undefined =>
  to === 'REJECTED' || to === 'EXPIRED' ? undefined : 'Its present state or your role does not allow this.'
