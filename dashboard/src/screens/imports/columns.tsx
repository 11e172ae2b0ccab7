import { Button, Group, Stack, Text } from '@mantine/core'
import type { ImportKind } from '../../api/imports.ts'
import { IMPORT_COLUMNS } from '../../generated/import-columns.ts'
import type { Column } from '../../parts/list-page.tsx'
import { Rows } from '../../parts/rows.tsx'
import { saveCsv } from '../../parts/save-file.ts'

type Shown = (typeof IMPORT_COLUMNS)[ImportKind][number]

const COLUMNS: readonly Column<Shown>[] = [
  { title: 'Column', cell: ({ name }) => <code className="id">{name}</code> },
  { title: 'Meaning', cell: ({ meaning, isRequired }) => `${meaning}${isRequired ? ' (required)' : ''}` },
  { title: 'Example', cell: ({ example }) => <span className="breaks">{example}</span> },
]

/** What a list of a kind can have, and an empty one to begin with. */
export function Columns({ kind }: { kind: ImportKind }) {
  const columns: readonly Shown[] = IMPORT_COLUMNS[kind]
  const names = columns.map(({ name }) => name).join(',')
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          The first line of the file names its columns, in any order. Days are written 2026-04-01. Give phones and long
          numbers the format Text, or a spreadsheet rounds them.
        </Text>
        <Button size="compact-xs" variant="subtle" onClick={() => saveCsv(`${names}\r\n`, `${kind}-empty.csv`)}>
          Download an empty list
        </Button>
      </Group>
      <Rows label="Columns" columns={COLUMNS} rows={columns} idOf={({ name }) => name} />
    </Stack>
  )
}
