import { Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from './dialog.tsx'
import { BulkReport } from './bulk.tsx'
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
  /** Where a row leads to. */
  placeOf: (row: Row) => string | undefined
  /** Called when nothing is to be done, or when the report has been read: with those that stay selected. */
  close: (selected?: ReadonlySet<string>) => void
  /** Called when all is done. */
  done: () => Promise<unknown>
}

/** Does one thing with many rows: it asks once, then shows how far it is and what became of each. */
export function BulkDialog<Row>({ action, rows, idOf, placeOf, close, done }: DialogSettings<Row>) {
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>()
  const { label, effect, takesReason, act } = action
  const total = rows?.length ?? 0
  const start = async (reason: string | undefined) => {
    setOutcomes([])
    await runEach(rows ?? [], {
      idOf,
      act: (row) => act(row, reason),
      report: (outcome) => setOutcomes((before = []) => [...before, outcome]),
    })
    await done()
  }
  const leave = (selected?: ReadonlySet<string>) => {
    setOutcomes(undefined)
    close(selected)
  }
  const placeById = (id: string) => {
    const row = rows?.find((one) => idOf(one) === id)
    return row && placeOf(row)
  }

  return (
    <Dialog opened={rows !== undefined} close={() => leave()} title={label} size="lg">
      {outcomes ? (
        <BulkReport
          label={label}
          outcomes={outcomes}
          total={total}
          placeOf={placeById}
          selectFailed={leave}
          close={() => leave()}
        />
      ) : (
        <ProblemForm
          fields={takesReason ? [{ pointer: '/reason', label: 'Reason', hint: 'Kept in the history of each' }] : []}
          submit={`${label}: ${countText(total)}`}
          send={(values) => start(typed(values, '/reason'))}
          cancel={() => leave()}
        >
          <Text size="sm">{effect}</Text>
        </ProblemForm>
      )}
    </Dialog>
  )
}
