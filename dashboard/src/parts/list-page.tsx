import { Button, Checkbox, Group, Table } from '@mantine/core'
import { useElementScrollRestoration, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { DownloadCsv, type ReadCsv } from './download-csv.tsx'
import { Loaded } from './outcomes.tsx'
import { FROM_START, linkOf, textIn } from './url-search.ts'
import { useUrlState } from './url-state.ts'
import { useShortcuts } from './shortcuts.ts'

export type Column<Row> = {
  title: string
  /** Numbers are aligned at their end. */
  isNumber?: boolean
  /** Left out where there is little room: `wide`, where there is not plenty; `widest`, on most screens. */
  isExtra?: boolean | 'wide' | 'widest'
  cell: (row: Row) => ReactNode
}

type Page<Row> = { data: readonly Row[]; next: string | null }

type Selection = { ids: ReadonlySet<string>; change: (ids: ReadonlySet<string>) => void }

type ListSettings<Row> = {
  label: string
  query: {
    data: Page<Row> | undefined
    error: Error | null
    fetchStatus: 'fetching' | 'paused' | 'idle'
    isPlaceholderData?: boolean
    refetch: () => unknown
  }
  columns: readonly Column<Row>[]
  idOf: (row: Row) => string
  nameOf: (row: Row) => string
  /** Where a row leads to, if anywhere. */
  to?: (row: Row) => string | undefined
  empty: ReactNode
  /** Reads all of it, with its filters, for a spreadsheet. */
  csv?: ReadCsv
  selection?: Selection | undefined
}

/**
 * A list that the service pages by cursor. The page and the current row are in the address; `j` and `k` move the row,
 * Enter opens it, `x` selects it.
 */
export function CursorList<Row>(settings: ListSettings<Row>) {
  const { query, idOf, to, selection } = settings
  const [{ after, row }, setState] = useUrlState()
  const navigate = useNavigate()
  useKeptPlace(query.data !== undefined)
  const rows = query.data?.data ?? []
  const current = rows.findIndex((one) => idOf(one) === row)
  const byKey = useRef(false)
  const toRow = (index: number) => {
    const next = rows[Math.min(Math.max(index, 0), rows.length - 1)]
    if (!next) return
    setState({ row: idOf(next) }, { replaces: true })
    byKey.current = true
  }
  const open = (one: Row) => {
    const place = to?.(one)
    if (place !== undefined) void navigate(linkOf(place))
  }
  const withCurrent = (use: (one: Row) => void) => () => {
    const one = rows[current]
    if (one) use(one)
  }
  useShortcuts([
    ['j', () => toRow(current + 1)],
    ['k', () => toRow(current - 1)],
    // A link in the row has the focus then, and opens by itself.
    ['Enter', withCurrent((one) => nothingHasFocus() && open(one)), { preventDefault: false }],
    ['x', withCurrent((one) => selection && selection.change(toggled(selection.ids, idOf(one))))],
  ])
  return (
    <Loaded query={query} lines={10}>
      {({ data, next }) => (
        <>
          {data.length === 0 ? settings.empty : <Rows {...settings} rows={data} current={current} byKey={byKey} />}
          <Group justify="flex-end" gap="xs" className="pages">
            {settings.csv && data.length > 0 && <DownloadCsv label={settings.label} read={settings.csv} />}
            {textIn(after) !== undefined && (
              <Button variant="default" size="xs" onClick={() => setState(FROM_START)}>
                First page
              </Button>
            )}
            {next !== null && (
              <Button variant="default" size="xs" onClick={() => setState({ after: next, row: undefined })}>
                Next page
              </Button>
            )}
          </Group>
        </>
      )}
    </Loaded>
  )
}

/** Nothing that a key would press: at most what is around it. */
const nothingHasFocus = () =>
  document.activeElement === document.body || document.activeElement?.getAttribute('tabindex') === '-1'

/** What the person does ends it; so does this time, within which names have come and rows have their height. */
const SETTLING_MS = 5_000
const BY_PERSON = ['wheel', 'pointerdown', 'keydown'] as const

/**
 * Scrolls to where the page was left, once the rows are there: until a list is loaded, the page is too short for the
 * router to do it. Rows above that grow afterwards would push it on.
 */
function useKeptPlace(isLoaded: boolean): void {
  const place = useRef(useElementScrollRestoration({ getElement: () => window }))
  useLayoutEffect(() => {
    const at = place.current
    if (!isLoaded || !at) return
    const restore = () => window.scrollTo(at.scrollX, at.scrollY)
    restore()
    const observer = new ResizeObserver(restore)
    observer.observe(document.body)
    const stop = () => observer.disconnect()
    const timer = setTimeout(stop, SETTLING_MS)
    for (const type of BY_PERSON) addEventListener(type, stop)
    return () => {
      stop()
      clearTimeout(timer)
      for (const type of BY_PERSON) removeEventListener(type, stop)
    }
  }, [isLoaded])
}

type RowsSettings<Row> = ListSettings<Row> & {
  rows: readonly Row[]
  current: number
  /** Whether a key has made the row the current one: then the focus goes there, too. */
  byKey: { current: boolean }
}

function Rows<Row>({ label, query, columns, idOf, nameOf, selection, rows, current, byKey }: RowsSettings<Row>) {
  const currentRow = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    // Newer browsers return a promise, which is no cleanup.
    currentRow.current?.scrollIntoView({ block: 'nearest' })
    if (byKey.current) currentRow.current?.querySelector<HTMLElement>('td a, td button')?.focus({ preventScroll: true })
    byKey.current = false
  }, [current, byKey])
  const ids = rows.map(idOf)
  const all = useRef<HTMLInputElement>(null)
  const selected = useRef(0)
  const count = selection?.ids.size ?? 0
  useEffect(() => {
    // What can be done with the selected rows is gone with them; the next ones are chosen here.
    const isInList = document.activeElement?.closest('table')?.contains(all.current) === true
    if (count === 0 && selected.current > 0 && !isInList) all.current?.focus({ preventScroll: true })
    selected.current = count
  }, [count])
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table highlightOnHover aria-label={label} aria-busy={query.isPlaceholderData} className="list rows">
        <Table.Thead>
          <Table.Tr>
            {selection && (
              <Table.Th className="select">
                <Checkbox
                  ref={all}
                  size="xs"
                  aria-label="Select all on this page"
                  checked={ids.every((id) => selection.ids.has(id))}
                  indeterminate={ids.some((id) => selection.ids.has(id)) && !ids.every((id) => selection.ids.has(id))}
                  onChange={({ target }) => selection.change(new Set(target.checked ? ids : []))}
                />
              </Table.Th>
            )}
            {columns.map((column) => (
              <Table.Th key={column.title} {...flagsOf(column)}>
                {column.title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr
              key={idOf(row)}
              ref={index === current ? currentRow : null}
              aria-current={index === current || undefined}
            >
              {selection && (
                <Table.Td className="select">
                  <Checkbox
                    size="xs"
                    aria-label={`Select ${nameOf(row)}`}
                    checked={selection.ids.has(idOf(row))}
                    onChange={() => selection.change(toggled(selection.ids, idOf(row)))}
                  />
                </Table.Td>
              )}
              {columns.map((column) => (
                <Table.Td key={column.title} data-title={column.title} {...flagsOf(column)}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const flagsOf = ({ isNumber, isExtra }: Pick<Column<unknown>, 'isNumber' | 'isExtra'>) => ({
  'data-number': isNumber,
  'data-extra': isExtra,
})

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
