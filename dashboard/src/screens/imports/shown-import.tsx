import type { Import } from '@banyan/client'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { isAtWork } from '../../api/imports.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Named } from '../../parts/named.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { amountText, countText } from '../../parts/texts.ts'
import { Time } from '../../parts/when.tsx'
import { kindTitle } from './kinds.ts'
import { ImportProgress } from './progress.tsx'
import { Report } from './report.tsx'

type ShownSettings = {
  one: Import
  /** The name of the file that was checked; undefined after a reload, because a page cannot keep a file. */
  file: string | undefined
  /** What was sent had been imported before. */
  isKnown: boolean
  importAll: (signal: AbortSignal) => Promise<unknown>
  chooseAnother: () => void
}

const rowsText = (count: number): string => amountText(count, 'row')

/** An import that the address names: how far it is, what would happen or what became of it. */
export function ShownImport({ one, file, isKnown, importAll, chooseAnother }: ShownSettings) {
  const isCheck = one.check_only
  return (
    <Stack gap="md">
      <Section
        title={`${isCheck ? 'Check' : 'Import'}: ${kindTitle(one.kind).toLowerCase()}`}
        aside={
          <span role="status">
            <StateBadge state={one.state} />
          </span>
        }
      >
        <Stack gap="md">
          <Numbers one={one} file={file} />
          <ImportProgress one={one} />
          {one.state === 'STOPPED' && (
            <Alert color="red" variant="outline" role="alert" title="It could not be finished">
              Send the same file again: it goes on where it stopped, and does nothing twice.
            </Alert>
          )}
          {isKnown && (
            <Text size="sm">
              This file was imported before, and all of its rows are done. Nothing was done a second time.
            </Text>
          )}
          {!isAtWork(one) && <Next one={one} file={file} importAll={importAll} chooseAnother={chooseAnother} />}
        </Stack>
      </Section>
      {!isAtWork(one) && <Report one={one} />}
    </Stack>
  )
}

function Numbers({ one, file }: Pick<ShownSettings, 'one' | 'file'>) {
  const { role } = useSession()
  const { rows, checked, rejected, done, lost } = one
  return (
    <Facts
      facts={[
        ['Rows', countText(rows)],
        one.check_only ? ['Fine', countText(checked - rejected)] : ['Done', countText(done)],
        ['Rejected', countText(rejected)],
        ...(lost > 0 ? ([['Lost in writing', countText(lost)]] as const) : []),
        ...(role === 'platform' ? [] : ([['Partner', <Named key="partner" id={one.platform_id} />]] as const)),
        ...(file === undefined ? [] : ([['File', file]] as const)),
        one.finished_at
          ? ['Finished', <Time key="finished" at={one.finished_at} />]
          : ['Sent', <Time key="sent" at={one.created_at} />],
      ]}
    />
  )
}

/** What can be done now: import what was checked, or choose another file. */
function Next({ one, file, importAll, chooseAnother }: Omit<ShownSettings, 'isKnown'>) {
  const [isOpen, setOpen] = useState(false)
  const fine = one.checked - one.rejected
  const canImport = one.check_only && one.state === 'DONE' && fine > 0
  const close = () => setOpen(false)
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{adviceFor(one, file !== undefined)}</Text>
      <Group gap="xs">
        {canImport && file !== undefined && <Button onClick={() => setOpen(true)}>Import {rowsText(fine)}…</Button>}
        <Button variant="default" onClick={chooseAnother}>
          {one.check_only ? 'Choose a file…' : 'Import another list'}
        </Button>
      </Group>
      <Dialog opened={isOpen} close={close} title={`Import ${rowsText(fine)}`}>
        <ProblemForm
          fields={[]}
          submit={`Import ${rowsText(fine)}`}
          send={(_values, signal) => importAll(signal)}
          cancel={close}
        >
          <Text size="sm">
            {rowsText(fine)} of {file} are written, one by one, as if each was made by hand.{' '}
            {one.rejected > 0 && `${rowsText(one.rejected)} with errors are left out. `}
            There is no button that takes it back.
          </Text>
        </ProblemForm>
      </Dialog>
    </Stack>
  )
}

function adviceFor(one: Import, hasFile: boolean): string {
  const { rejected, lost, rows, checked } = one
  if (!one.check_only) {
    if (rejected + lost === 0) return 'Every row is done.'
    return 'Correct the rows with errors in your spreadsheet, and send the list again: what is done is not done twice.'
  }
  const start = 'Nothing was written so far. '
  if (rejected === rows) return `${start}No row can be imported. Correct them in your spreadsheet, and choose the file.`
  const rest = hasFile ? '' : ' This page does not keep the file: to import it, choose it again.'
  if (rejected === 0) return `${start}Every row would be done.${rest}`
  return (
    `${start}${rowsText(checked - rejected)} would be done, ${rowsText(rejected)} with errors would be left out. ` +
    `Correct them in your spreadsheet and choose the file, or import the others.${rest}`
  )
}
