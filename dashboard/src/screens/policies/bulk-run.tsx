import type { ListedInsurancePolicy } from '@banyan/client'
import { Button, Group, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type PolicyTransition, undoOf } from '../../api/policy-transitions.ts'
import { useSession } from '../../api/session.ts'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'
import { countText } from '../../parts/texts.ts'
import { type Outcome, runBulk } from './run-bulk.ts'

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
    await runBulk(targets, by, { reason, report })
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
      <Text size="sm" aria-live="polite">
        {progress.transition.label}: {countText(outcomes.length)} of {countText(total)}
        {isDone && `, ${countText(outcomes.filter(({ problem }) => problem === undefined).length)} done`}
      </Text>
      <Progress value={(outcomes.length / total) * 100} aria-label="Progress" />
      <Report outcomes={outcomes} />
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

/** A line for each policy; what failed comes first. */
function Report({ outcomes }: { outcomes: readonly Outcome[] }) {
  const sorted = outcomes.toSorted(
    (one, other) => Number(other.problem !== undefined) - Number(one.problem !== undefined),
  )
  return (
    <ScrollArea.Autosize mah={320} type="auto" tabIndex={0}>
      <Table className="list" aria-label="Report">
        <Table.Tbody>
          {sorted.map(({ id, problem }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <code className="id">{id}</code>
              </Table.Td>
              <Table.Td>{problem ?? 'Done'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  )
}
