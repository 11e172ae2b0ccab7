import type { ListedEndorsement } from '@banyan/client'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { csvOf } from '../../api/csv.ts'
import { ENDORSEMENT_TRANSITIONS } from '../../api/endorsement-transitions.ts'
import { acceptListed, endorsementsQuery } from '../../api/endorsements.ts'
import type { Role } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { transitionsOut } from '../../api/transitions.ts'
import { BulkDialog } from '../../parts/bulk-dialog.tsx'
import { BulkBar } from '../../parts/bulk.tsx'
import { endorsementColumnsIn, placeOfEndorsement } from '../../parts/endorsement-columns.tsx'
import { useEndorsementDialog } from '../../parts/endorsement-dialog.tsx'
import { endorsementLists } from '../../parts/endorsement-lists.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { ListTabs, useNamedList } from '../../parts/list-tabs.tsx'
import { Money } from '../../parts/money.tsx'
import { placeInList, useKeptList } from '../../parts/neighbours.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago, Day } from '../../parts/when.tsx'

type Row = ListedEndorsement
const moreIn = (placeOf: (row: Row) => string): readonly Column<Row>[] => [
  { title: 'Policy', isExtra: 'widest', cell: (row) => <Id id={row.insurance_policy_id} to={placeOf(row)} /> },
  { title: 'Day', isExtra: 'widest', cell: ({ on }) => <Day day={on} /> },
]
const DECIDED: readonly Column<Row>[] = [
  { title: 'Insurer’s reference', isExtra: 'wide', cell: (row) => row.provider_reference ?? '–' },
  {
    title: 'Amount',
    isExtra: 'wide',
    isNumber: true,
    cell: ({ amount }) => (amount === null ? '–' : <Money amount={amount} />),
  },
]

const ACCEPT = {
  label: 'Accept',
  effect: 'The decision on the last one of a policy makes its next certificate. The term stays as it is.',
  act: acceptListed,
}

/** A partner takes back only. */
const mayAccept = (role: Role): boolean =>
  transitionsOut(ENDORSEMENT_TRANSITIONS, 'REQUESTED', role).some(({ to }) => to === 'ACCEPTED')

const OPEN: readonly string[] = ['', 'overdue']

/** The work list of endorsements: those that wait, the earliest due day first. */
export function Screen() {
  const [state] = useUrlState()
  const { role } = useSession()
  const queries = useQueryClient()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [run, setRun] = useState<readonly Row[]>()
  const { column, dialog } = useEndorsementDialog()
  const { id: list, filter } = useNamedList(endorsementLists())
  const query = useQuery(endorsementsQuery(filter, textIn(state['after'])))
  useKeptList(places.endorsements, query)
  const placeOf = (row: Row) => placeInList(placeOfEndorsement(row), state)
  const rows = query.data?.data.filter(({ id }) => selected.has(id)) ?? []
  const waiting = rows.filter((row) => row.state === 'REQUESTED')
  const columns = [
    ...endorsementColumnsIn(placeOf),
    { title: 'Requested', isExtra: 'wide' as const, cell: ({ created_at }: Row) => <Ago at={created_at} /> },
    ...moreIn(placeOf),
    ...(OPEN.includes(list) ? [] : DECIDED),
    column,
  ]

  return (
    <Page title="Endorsements">
      <ListTabs label="Lists of endorsements" lists={endorsementLists()} current={list} />
      <BulkBar count={rows.length} clear={() => setSelected(new Set())}>
        {waiting.length > 0 ? (
          <Button size="xs" onClick={() => setRun(waiting)}>
            {ACCEPT.label}
          </Button>
        ) : (
          <span className="quiet">These are decided already.</span>
        )}
      </BulkBar>
      <BulkDialog
        action={ACCEPT}
        rows={run}
        idOf={({ id }) => id}
        placeOf={placeOfEndorsement}
        close={(failed = new Set()) => {
          setRun(undefined)
          setSelected(failed)
        }}
        done={() =>
          Promise.all(
            [['endorsements'], ['policies'], ['policy']].map((queryKey) => queries.invalidateQueries({ queryKey })),
          )
        }
      />
      {dialog}
      <CursorList
        label="Endorsements"
        csv={() => csvOf.endorsements(filter)}
        query={query}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ id }) => `endorsement ${id}`}
        to={placeOf}
        selection={mayAccept(role) ? { ids: selected, change: setSelected } : undefined}
        empty={
          OPEN.includes(list) ? (
            <Empty title={list === '' ? 'No endorsement waits' : 'None is overdue'}>
              Who joins or leaves an issued policy, a correction of a person on it, and another nominee come here.
            </Empty>
          ) : (
            <Empty title="No endorsements here">Choose another list.</Empty>
          )
        }
      />
    </Page>
  )
}
