import { Table } from '@mantine/core'
import type { Column } from './list-page.tsx'

type RowsSettings<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string
  /** The id of the row that the address names. */
  current?: string | undefined
  /** Cells begin at the top, where some are higher than others. */
  isUneven?: boolean
}

/** A short list inside a screen: all of it, without pages and keys. On a phone, each row is a card as in the others. */
export const Rows = <Row,>({ label, columns, rows, idOf, current, isUneven }: RowsSettings<Row>) => (
  <Table className="list rows" aria-label={label} data-uneven={isUneven}>
    <Table.Thead>
      <Table.Tr>
        {columns.map(({ title, isNumber }) => (
          <Table.Th key={title} data-number={isNumber}>
            {title}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {rows.map((row) => (
        <Table.Tr key={idOf(row)} aria-current={idOf(row) === current || undefined}>
          {columns.map(({ title, isNumber, cell }) => (
            <Table.Td key={title} data-title={title} data-number={isNumber}>
              {cell(row)}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)
