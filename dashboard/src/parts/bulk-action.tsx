import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { BulkProgress } from './bulk.tsx'
import { ProblemForm, typed } from './problem-form.tsx'
import { type Outcome, runEach } from './run-each.ts'
import { countText } from './texts.ts'

type Action<Row> = {
  label: string
  /** What follows from it. */
  effect: string
  /** Asks for a reason, which is kept in the history of each. */
  takesReason?: true
  act: (row: Row, reason: string | undefined) => Promise<unknown>
}

type ActionSettings<Row> = {
  action: Action<Row>
  rows: readonly Row[]
  idOf: (row: Row) => string
  /** Called when all is done and the report has been read. */
  close: () => void
  /** Called when all is done. */
  done: () => Promise<unknown>
}

/** A button that does one thing with many rows: it asks once, then shows how far it is and what became of each. */
export function BulkAction<Row>({ action, rows, idOf, close, done }: ActionSettings<Row>) {
  const [run, setRun] = useState<{ rows: readonly Row[]; outcomes?: readonly Outcome[] }>()
  const { label, effect, takesReason, act } = action

  const start = async (targets: readonly Row[], reason: string | undefined) => {
    setRun({ rows: targets, outcomes: [] })
    await runEach(targets, {
      idOf,
      act: (row) => act(row, reason),
      report: (outcome) => setRun((before) => before && { ...before, outcomes: [...(before.outcomes ?? []), outcome] }),
    })
    await done()
  }
  const isDone = run?.outcomes?.length === run?.rows.length
  const leave = () => {
    if (run?.outcomes && !isDone) return
    setRun(undefined)
    if (run?.outcomes) close()
  }

  return (
    <>
      <Button size="xs" onClick={() => setRun({ rows })}>
        {label}
      </Button>
      <Modal opened={run !== undefined} onClose={leave} title={label} size="lg">
        {run && !run.outcomes && (
          <ProblemForm
            fields={takesReason ? [{ pointer: '/reason', label: 'Reason', hint: 'Kept in the history of each' }] : []}
            submit={`${label}: ${countText(run.rows.length)}`}
            send={(values) => start(run.rows, typed(values, '/reason'))}
            cancel={leave}
          >
            <Text size="sm">{effect}</Text>
          </ProblemForm>
        )}
        {run?.outcomes && (
          <Stack gap="sm">
            <BulkProgress label={label} outcomes={run.outcomes} total={run.rows.length} />
            <Group justify="flex-end">
              <Button disabled={!isDone} onClick={leave}>
                Close
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </>
  )
}
