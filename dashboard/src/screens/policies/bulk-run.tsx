import type { ListedInsurancePolicy } from '@banyan/client'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { type PolicyTransition, undoOf } from '../../api/policy-transitions.ts'
import { useSession } from '../../api/session.ts'
import { BulkProgress } from '../../parts/bulk.tsx'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'
import { type Outcome, runEach } from '../../parts/run-each.ts'
import { countText } from '../../parts/texts.ts'

type RunSettings = { transition: PolicyTransition; rows: readonly ListedInsurancePolicy[]; close: () => void }
type Progressing = { transition: Pick<PolicyTransition, 'to' | 'label'>; total: number; outcomes: readonly Outcome[] }

/** Asks once, then shows how far it is and what became of each policy. Takes it back where the states allow. */
export function BulkRun({ transition, rows, close }: RunSettings) {
  const { role } = useSession()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<Progressing>()
  const undo = undoOf(transition, role)

  const start = async (by: PolicyTransition, targets: typeof rows, reason?: string) => {
    setProgress({ transition: by, total: targets.length, outcomes: [] })
    const report = (outcome: Outcome) =>
      setProgress((before) => before && { ...before, outcomes: [...before.outcomes, outcome] })
    const body = { status: by.to, ...(reason !== undefined && { reason }) }
    await runEach(targets, {
      idOf: ({ id }) => id,
      act: ({ id, user_id }) => banyan.user(user_id).policies.setStatus(id, body),
      report,
    })
    await queries.invalidateQueries({ queryKey: ['policies'] })
  }

  if (!progress)
    return (
      <ProblemForm
        fields={[
          {
            pointer: '/reason',
            label: 'Reason',
            hint: 'Kept in the history of each',
            isRequired: transition.needsReason === true,
          },
        ]}
        submit={`${transition.label}: ${countText(rows.length)}`}
        isDangerous={transition.isDangerous}
        send={(values) => start(transition, rows, typed(values, '/reason'))}
        cancel={close}
      >
        <Text size="sm">{transition.effect}</Text>
      </ProblemForm>
    )
  const { outcomes, total } = progress
  const isDone = outcomes.length === total
  const done = rows.filter(({ id }) => outcomes.some((outcome) => outcome.id === id && outcome.problem === undefined))
  const canUndo = isDone && undo !== undefined && progress.transition === transition && done.length > 0
  return (
    <Stack gap="sm">
      <BulkProgress label={progress.transition.label} outcomes={outcomes} total={total} />
      <Group justify="flex-end" gap="xs">
        {canUndo && (
          <Button variant="default" onClick={() => void start(undo, done)}>
            Undo ({undo.label.toLowerCase()})
          </Button>
        )}
        <Button disabled={!isDone} onClick={close}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
