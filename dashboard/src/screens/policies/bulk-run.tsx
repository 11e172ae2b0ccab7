import type { ListedInsurancePolicy } from '@banyan/client'
import { Button, Group, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type PolicyMove, undoOf } from '../../api/policy-moves.ts'
import { useSession } from '../../api/session.ts'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'
import { countText } from '../../parts/texts.ts'
import { type Outcome, runBulk } from './run-bulk.ts'

type RunSettings = { move: PolicyMove; rows: readonly ListedInsurancePolicy[]; close: () => void }
type Progressing = { move: Pick<PolicyMove, 'to' | 'label'>; total: number; outcomes: readonly Outcome[] }

/** Asks once, then shows how far it is and what became of each policy. Takes it back where the states allow. */
export function BulkRun({ move, rows, close }: RunSettings) {
  const { role } = useSession()
  const queries = useQueryClient()
  const [progress, setProgress] = useState<Progressing>()
  const undo = undoOf(move, role)

  const start = async (by: PolicyMove, targets: typeof rows, reason?: string) => {
    setProgress({ move: by, total: targets.length, outcomes: [] })
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
            isRequired: move.needsReason === true,
          },
        ]}
        submit={`${move.label}: ${countText(rows.length)}`}
        send={(values) => start(move, rows, typed(values, '/reason'))}
        cancel={close}
      >
        <Text size="sm">{move.effect}</Text>
      </ProblemForm>
    )
  const { outcomes, total } = progress
  const isDone = outcomes.length === total
  const done = rows.filter(({ id }) => outcomes.some((outcome) => outcome.id === id && outcome.problem === undefined))
  const canUndo = isDone && undo !== undefined && progress.move === move && done.length > 0
  return (
    <Stack gap="sm">
      <Text size="sm" aria-live="polite">
        {progress.move.label}: {countText(outcomes.length)} of {countText(total)}
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
