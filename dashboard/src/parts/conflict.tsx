import { Alert, Button, Group, List, Text } from '@mantine/core'

type ConflictSettings = {
  /** What somebody else has changed: each label with what stands there now. */
  changes: readonly { label: string; value: string }[]
  /** What keeping one’s own does to theirs. */
  note?: string
  keepMine: () => void
  takeTheirs: () => void
}

/** The choice in a form whose record somebody else has changed since it was opened (412). */
export function Conflict({ changes, note, keepMine, takeTheirs }: ConflictSettings) {
  return (
    <Alert color="yellow" variant="outline" title="Somebody else has changed this meanwhile" role="alert">
      <List size="sm" mb="xs">
        {changes.length === 0 && <List.Item>A field that is not shown here</List.Item>}
        {changes.map(({ label, value }) => (
          <List.Item key={label}>
            {label}: <b dir="auto">{value}</b>
          </List.Item>
        ))}
      </List>
      <Text size="sm" mb="xs">
        Nothing of yours is saved yet. {note ?? 'To keep it changes only the fields that you have changed.'}
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={keepMine}>
          Keep mine, then save
        </Button>
        <Button size="xs" variant="default" onClick={takeTheirs}>
          Begin again with theirs
        </Button>
      </Group>
    </Alert>
  )
}
