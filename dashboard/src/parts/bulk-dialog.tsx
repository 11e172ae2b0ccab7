import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { BulkProgress } from './bulk.tsx'
import { ProblemForm, typed } from './problem-form.tsx'
import { type Outcome, runEach } from './run-each.ts'
import { countText } from './texts.ts'

export type BulkAction<Row> = {
  label: string
  /** What follows from it. */
  effect: string
  /** Asks for a reason, which is kept in the history of each. */
  takesReason?: true
  act: (row: Row, reason: string | undefined) => Promise<unknown>
}

type DialogSettings<Row> = {
  action: BulkAction<Row>
  /** Nothing is asked while there are none. They are kept by the caller, because a list loses what was done. */
  rows: readonly Row[] | undefined
  idOf: (row: Row) => string
  /** Called when nothing is to be done, or when the report has been read. */
  close: () => void
  /** Called when all is done. */
  done: () => Promise<unknown>
}

/** Does one thing with many rows: it asks once, then shows how far it is and what became of each. */
export function BulkDialog<Row>({ action, rows, idOf, close, done }: DialogSettings<Row>) {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>()
  const { label, effect, takesReason, act } = action
  const total = rows?.length ?? 0
  const isRunning = outcomes !== undefined && outcomes.length < total

  const start = async (reason: string | undefined) => {
    setOutcomes([])
    await runEach(rows ?? [], {
      idOf,
      act: (row) => act(row, reason),
      report: (outcome) => setOutcomes((before = []) => [...before, outcome]),
    })
    await done()
  }
  const leave = () => {
    if (isRunning) return
    setOutcomes(undefined)
    close()
  }

  return (
    <Modal opened={rows !== undefined} onClose={leave} title={label} size="lg">
      {outcomes ? (
        <Stack gap="sm">
          <BulkProgress label={label} outcomes={outcomes} total={total} />
          <Group justify="flex-end">
            <Button disabled={isRunning} onClick={leave}>
              Close
            </Button>
          </Group>
        </Stack>
      ) : (
        <ProblemForm
          fields={takesReason ? [{ pointer: '/reason', label: 'Reason', hint: 'Kept in the history of each' }] : []}
          submit={`${label}: ${countText(total)}`}
          send={(values) => start(typed(values, '/reason'))}
          cancel={leave}
        >
          <Text size="sm">{effect}</Text>
        </ProblemForm>
      )}
    </Modal>
  )
}
