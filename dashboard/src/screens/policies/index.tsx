import type { ListedInsurancePolicy } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { csvOf } from '../../api/csv.ts'
import { policiesQuery } from '../../api/policies.ts'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { placeInList, useKeptList } from '../../parts/neighbours.tsx'
import { idColumnIn, placeOfPolicy, policyColumnsIn, WAITING_SINCE } from '../../parts/policy-columns.tsx'
import { AssigneeName } from '../../parts/assignee-name.tsx'
import { policyListIn } from '../../parts/policy-list.ts'
import { FROM_START, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago, Day } from '../../parts/when.tsx'
import { AskNumbers } from './ask-numbers.tsx'
import { Bulk } from './bulk.tsx'
import { Filters } from './filters.tsx'
import { Numbered } from './numbered.tsx'

type Row = ListedInsurancePolicy

const columnsIn = (placeOf: (row: Row) => string): readonly Column<Row>[] => [
  ...policyColumnsIn(placeOf),
  WAITING_SINCE,
  { title: 'Assigned to', isExtra: true, cell: ({ assignee }) => <AssigneeName assignee={assignee} /> },
  { title: 'Next date', isExtra: true, cell: ({ next_move_on }) => <Day day={next_move_on} isDue /> },
  { title: 'Changed', isExtra: 'wide', cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
  idColumnIn(placeOf),
]

/** The numbers that were pasted last, so that going back shows their policies again. In memory only. */
let lastNumbers: readonly string[] = []

/** The work lists of policies or, where the address says so, the policies whose numbers somebody has listed. */
export function Screen() {
  const [state, setState] = useUrlState()
  const [numbers, setNumbers] = useState(lastNumbers)
  const isPasted = state['numbers'] === 'pasted' && numbers.length > 0
  const take = (next: readonly string[]) => {
    lastNumbers = next
    setNumbers(next)
    setState({ numbers: 'pasted', ...FROM_START })
  }
  return (
    <Page title="Policies" aside={<AskNumbers take={take} />}>
      {isPasted ? (
        <Numbered
          key={numbers.join('\n')}
          numbers={numbers}
          leave={() => setState({ numbers: undefined, ...FROM_START })}
        />
      ) : (
        <WorkLists />
      )}
    </Page>
  )
}

/** Find by state and day, select many, change them together. */
function WorkLists() {
  const [state, setState] = useUrlState()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { filter, ...chosen } = policyListIn(state)
  const query = useQuery(policiesQuery(filter, textIn(state['after'])))
  useKeptList(places.policies, query)
  const placeOf = (row: Row) => placeInList(placeOfPolicy(row), state)
  const rows = query.data?.data.filter(({ id }) => selected.has(id)) ?? []

  return (
    <>
      <Filters {...chosen} change={(patch) => setState(patch)} />
      <Bulk rows={rows} select={setSelected} />
      <CursorList
        label="Policies"
        csv={() => csvOf.policies(filter)}
        query={query}
        columns={columnsIn(placeOf)}
        idOf={({ id }) => id}
        nameOf={({ id }) => `policy ${id}`}
        to={placeOf}
        selection={{ ids: selected, change: setSelected }}
        empty={<Empty title="No policies here">Choose other states, or another time.</Empty>}
      />
    </>
  )
}
