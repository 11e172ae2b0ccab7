import { Button, Table, VisuallyHidden } from '@mantine/core'

/** The head of the column with the buttons of the rows; only screen readers read it. */
export const ActionsHead = () => (
  <Table.Th>
    <VisuallyHidden>Actions</VisuallyHidden>
  </Table.Th>
)

type DestroySettings = { label: string; which: string; onClick: () => void }

/** The button at the end of a row that ends or revokes it; `which` names the row for screen readers. */
export const DestroyInRow = ({ label, which, onClick }: DestroySettings) => (
  <Table.Td data-number>
    <Button size="compact-xs" variant="outline" color="red" aria-label={`${label} ${which}`} onClick={onClick}>
      {label}
    </Button>
  </Table.Td>
)
