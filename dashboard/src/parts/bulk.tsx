import { Button, Group, Paper, Progress, ScrollArea, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Outcome } from './run-each.ts'
import { countText } from './texts.ts'

/** What can be done with all selected rows; nothing while none is. */
export function BulkBar({ count, clear, children }: { count: number; clear: () => void; children: ReactNode }) {
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
        <Button size="xs" variant="subtle" onClick={clear}>
          Clear
        </Button>
      </Group>
    </Paper>
  )
}

/** How far it is, and a line for each row; what failed comes first. */
export function BulkProgress({
  label,
  outcomes,
  total,
}: {
  label: string
  outcomes: readonly Outcome[]
  total: number
}) {
  const failed = outcomes.filter(({ problem }) => problem !== undefined)
  const done = outcomes.filter(({ problem }) => problem === undefined)
  return (
    <>
      <Text size="sm" aria-live="polite">
        {label}: {countText(outcomes.length)} of {countText(total)}
        {outcomes.length === total && `, ${countText(done.length)} done`}
      </Text>
      <Progress value={(outcomes.length / total) * 100} aria-label="Progress" />
      <ScrollArea.Autosize mah={320} type="auto" tabIndex={0}>
        <Table className="list" aria-label="Report">
          <Table.Tbody>
            {[...failed, ...done].map(({ id, problem }) => (
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
    </>
  )
}
