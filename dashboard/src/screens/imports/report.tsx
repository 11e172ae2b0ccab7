import type { Import, ImportRow } from '@banyan/client'
import { Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { ERRORS_MAX, importDoneQuery, importErrorsQuery, WITH_ERROR } from '../../api/imports.ts'
import { DownloadCsv } from '../../parts/download-csv.tsx'
import { FilterSelect } from '../../parts/filter-select.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { ListTabs, useNamedList } from '../../parts/list-tabs.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { PersonId } from '../../parts/person-id.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { countText } from '../../parts/texts.ts'
import { FROM_START, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'

const PAGE = 50
/** The value of the filter for errors of a row as a whole. */
const WHOLE_ROW = 'row'

const ROW: Column<ImportRow> = { title: 'Row', isNumber: true, cell: ({ row }) => countText(row) }
const ERROR_COLUMNS: readonly Column<ImportRow>[] = [
  {
    title: 'Column',
    cell: ({ column }) =>
      column === null ? <span className="quiet">whole row</span> : <code className="id">{column}</code>,
  },
  { title: 'Code', cell: ({ code }) => <code className="id">{code}</code> },
  { title: 'What is wrong', cell: ({ detail }) => <span className="breaks wrong">{detail}</span> },
]
const OUTCOME: Column<ImportRow> = { title: 'Outcome', cell: ({ outcome }) => <StateBadge state={outcome} /> }
const THERE: Column<ImportRow> = {
  title: 'There already',
  cell: (row) => (row.record_id === null ? <span className="quiet">–</span> : <Made row={row} />),
}
const DONE_COLUMNS: readonly Column<ImportRow>[] = [
  ROW,
  { title: 'Person', cell: ({ user_id: id }) => (id === null ? '–' : <PersonId id={id} />) },
  { title: 'Record', cell: (row) => <Made row={row} /> },
]

/** What a row made, found or met: a policy leads to its page. */
function Made({ row: { user_id: user, record_id: id } }: { row: ImportRow }) {
  if (id === null || String(id) === user) return <span className="quiet">–</span>
  return <Id id={id} to={user !== null && id.startsWith('pol_') ? places.policy(user, id) : undefined} />
}

const placeOfError = ({ row, column, code }: ImportRow) => `${row}:${column}:${code}`

/** What became of the rows: the errors by row and column, and, of a real import, what is done. */
export function Report({ one }: { one: Import }) {
  const lists = [
    { id: '', title: 'Errors', filter: 'errors' },
    { id: 'done', title: `Done: ${countText(one.done)}`, filter: 'done' },
  ] as const
  const { id: list } = useNamedList<string>(lists)
  const hasDone = one.done > 0
  return (
    <Section
      title="Report"
      aside={
        <DownloadCsv
          label="Report"
          read={() => csvOf.importRows(one.id, one.check_only ? WITH_ERROR : [...WITH_ERROR, 'DONE'])}
        />
      }
    >
      <Stack gap="sm">
        {hasDone && <ListTabs label="Rows of the report" lists={lists} current={list} />}
        {hasDone && list === 'done' ? <Done one={one} /> : <Errors one={one} />}
      </Stack>
    </Section>
  )
}

function Done({ one: { id } }: { one: Import }) {
  const [{ after }] = useUrlState()
  const query = useQuery(importDoneQuery(id, textIn(after)))
  return (
    <CursorList
      label="Rows that are done"
      query={query}
      columns={DONE_COLUMNS}
      idOf={({ row }) => String(row)}
      nameOf={({ row }) => `row ${row}`}
      empty={<Empty title="No row is done" />}
    />
  )
}

function Errors({ one }: { one: Import }) {
  const [{ after, column, code }, setUrl] = useUrlState()
  const query = useQuery(importErrorsQuery(one.id, one.finished_at))
  const all = query.data ?? []
  const [ofColumn, ofCode] = [textIn(column) ?? '', textIn(code) ?? '']
  const isIn = (row: ImportRow) =>
    (ofColumn === '' || (row.column ?? WHOLE_ROW) === ofColumn) && (ofCode === '' || row.code === ofCode)
  const rows = all.filter(isIn)
  const first = Number(textIn(after) ?? 0) || 0
  const next = first + PAGE < rows.length ? String(first + PAGE) : null
  const page = query.data && { data: rows.slice(first, first + PAGE), next }
  const columns = [
    ROW,
    ...(one.check_only ? [] : [OUTCOME]),
    ...ERROR_COLUMNS,
    ...(all.some(({ record_id: id }) => id !== null) ? [THERE] : []),
  ]
  return (
    <Stack gap="sm">
      {all.length > 1 && (
        <Group gap="xs">
          <FilterSelect
            label="Column"
            isFirst
            value={ofColumn}
            choices={choicesOf(all, 'Any column', (row) => row.column ?? WHOLE_ROW)}
            change={(value) => setUrl({ column: value, ...FROM_START })}
          />
          <FilterSelect
            label="Code"
            value={ofCode}
            choices={choicesOf(all, 'Any code', (row) => row.code ?? '')}
            change={(value) => setUrl({ code: value, ...FROM_START })}
          />
          <Text size="sm" c="dimmed" role="status">
            {all.length >= ERRORS_MAX
              ? `The first ${countText(ERRORS_MAX)} errors; the CSV has all.`
              : `${rows.length < all.length ? `${countText(rows.length)} of ` : ''}${countText(all.length)} errors`}
          </Text>
        </Group>
      )}
      <CursorList
        label="Errors"
        query={{ ...query, data: page }}
        columns={columns}
        idOf={placeOfError}
        nameOf={({ row }) => `row ${row}`}
        empty={<Empty title={all.length === 0 ? 'No errors' : 'No errors like that'} />}
      />
    </Stack>
  )
}

/** The values of the errors with their numbers, the most frequent first. */
function choicesOf(rows: readonly ImportRow[], any: string, valueOf: (row: ImportRow) => string) {
  const counts = [...Map.groupBy(rows, valueOf)].map(([value, some]) => ({ value, count: some.length }))
  return [
    { value: '', label: any },
    ...counts
      .toSorted((one, other) => other.count - one.count)
      .map(({ value, count }) => ({
        value,
        label: `${value === WHOLE_ROW ? 'whole row' : value} (${countText(count)})`,
      })),
  ]
}
