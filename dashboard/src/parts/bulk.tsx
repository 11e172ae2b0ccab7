import { Button, Group, Paper, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useHold } from './dialog.tsx'
import { Id } from './id.tsx'
import type { Outcome } from './run-each.ts'
import { countText } from './texts.ts'

type BarSettings = {
  count: number
  clear: () => void
  children: ReactNode
  /** What changes none of the rows themselves. */
  aside?: ReactNode
}

/** What can be done with all selected rows; nothing while none is. */
export function BulkBar({ count, clear, children, aside }: BarSettings) {
  if (count === 0) return null
  return (
    <Paper withBorder p="xs" className="bulk">
      <Group justify="space-between">
        <Group gap="md">
          <Text size="sm" fw={600} aria-live="polite">
            {countText(count)} selected
          </Text>
          {children}
        </Group>
        <Group gap="xs">
          {aside}
          <Button size="xs" variant="subtle" onClick={clear}>
            Clear
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}

type ReportSettings = {
  label: string
  outcomes: readonly Outcome[]
  total: number
  /** Where a row leads to. */
  placeOf?: ((id: string) => string | undefined) | undefined
  /** Leaves those selected that failed. */
  selectFailed: (ids: ReadonlySet<string>) => void
  close: () => void
  /** What to do about those that failed. */
  remedy?: (failed: readonly Outcome[]) => ReactNode
  children?: ReactNode
}

/** How far it is, and a row for each; what failed comes first. Nothing closes it before all is done. */
export function BulkReport({ label, outcomes, total, placeOf, selectFailed, close, remedy, children }: ReportSettings) {
  const failed = outcomes.filter(({ problem }) => problem !== undefined)
  const done = outcomes.filter(({ problem }) => problem === undefined)
  const isDone = outcomes.length === total
  const closing = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isDone) closing.current?.focus()
  }, [isDone])
  useHold(isDone ? undefined : 'This still runs: what is not done yet would stay undone.', true)
  return (
    <Stack gap="sm">
      <Text size="sm" aria-live="polite" fw={isDone ? 600 : 400}>
        {label}: {countText(outcomes.length)} of {countText(total)}
        {isDone && `, ${countText(done.length)} done`}
        {failed.length > 0 && `, ${countText(failed.length)} failed`}
      </Text>
      <Progress.Root aria-label="Progress">
        <Progress.Section value={(done.length / total) * 100} aria-label="Done" />
        <Progress.Section value={(failed.length / total) * 100} color="red" aria-label="Failed" />
      </Progress.Root>
      <ScrollArea.Autosize mah={320} type="auto" tabIndex={0}>
        <Table className="list" aria-label="Report">
          <Table.Tbody>
            {[...failed, ...done].map(({ id, problem }) => (
              <Table.Tr key={id} data-failed={problem !== undefined || undefined}>
                <Table.Td>
                  <Id id={id} to={isDone ? placeOf?.(id) : undefined} />
                </Table.Td>
                <Table.Td className="lines">{problem ?? 'Done'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {isDone && failed.length > 0 && remedy?.(failed)}
      <Group justify="flex-end" gap="xs">
        {isDone && failed.length > 0 && (
          <Button variant="default" onClick={() => selectFailed(new Set(failed.map(({ id }) => id)))}>
            Select the failed: {countText(failed.length)}
          </Button>
        )}
        {children}
        <Button ref={closing} disabled={!isDone} onClick={close}>
          Close
        </Button>
      </Group>
    </Stack>
  )
}
