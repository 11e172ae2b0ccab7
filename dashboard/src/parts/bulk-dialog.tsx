import { Text } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from './dialog.tsx'
import { BulkReport } from './bulk.tsx'
import { type Field, ProblemForm, type Values } from './problem-form.tsx'
import { type Outcome, runEach } from './run-each.ts'
import { countText } from './texts.ts'

/** A reason that is kept in the history of each row. */
export const REASON_OF_EACH: Field = { pointer: '/reason', label: 'Reason', hint: 'Kept in the history of each' }

export type BulkAction<Row> = {
  label: string
  /** What follows from it. */
  effect: string
  /** What is asked for before. */
  fields?: readonly Field[]
  act: (row: Row, values: Values) => Promise<unknown>
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
  const { label, effect, fields = [], act } = action
  const total = rows?.length ?? 0
  const start = async (values: Values) => {
    setOutcomes([])
    await runEach(rows ?? [], {
      idOf,
      act: (row) => act(row, values),
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
        <ProblemForm fields={fields} submit={`${label}: ${countText(total)}`} send={start} cancel={() => leave()}>
          <Text size="sm">{effect}</Text>
        </ProblemForm>
      )}
    </Dialog>
  )
}
