import type { ListedInsurancePolicy } from '@banyan/client'
import { plainDate } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { policiesQuery } from '../../api/policies.ts'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { placeOfPolicy, POLICY_COLUMNS, POLICY_ID } from '../../parts/policy-columns.tsx'
import { daysAfter, today } from '../../parts/texts.ts'
import { knownIn, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago, Day } from '../../parts/when.tsx'
import { Bulk } from './bulk.tsx'
import { Filters } from './filters.tsx'
import { DUE, POLICY_STATES } from './work-lists.ts'

type Row = ListedInsurancePolicy

const COLUMNS: readonly Column<Row>[] = [
  ...POLICY_COLUMNS,
  { title: 'Next date', isExtra: true, cell: ({ next_move_on }) => <Day day={next_move_on} isDue /> },
  { title: 'Changed', isExtra: 'wide', cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
  POLICY_ID,
]

/** The work lists of policies: find by state and day, select many, change them together. */
export function Screen() {
  const [state, setState] = useUrlState()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const status = knownIn(state['status'], POLICY_STATES)
  const due = DUE.find(({ value }) => value === state['due'])?.value ?? ''
  const filter = { status, ...(due !== '' && { due_before: plainDate(daysAfter(today(), Number(due) + 1)) }) }
  const query = useQuery(policiesQuery(filter, textIn(state['after'])))
  const rows = query.data?.data.filter(({ id }) => selected.has(id)) ?? []

  return (
    <Page title="Policies">
      <Filters status={status} due={due} change={(patch) => setState(patch)} />
      <Bulk rows={rows} select={setSelected} />
      <CursorList
        label="Policies"
        query={query}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={({ id }) => `policy ${id}`}
        to={placeOfPolicy}
        selection={{ ids: selected, change: setSelected }}
        empty={<Empty title="No policies here">Choose other states, or another time.</Empty>}
      />
    </Page>
  )
}
