import type { ListedEndorsement } from '@banyan/client'
import type { ListEndorsementsQuery } from '@banyan/client/operations'
import { plainDate } from '@banyan/client'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { csvOf } from '../../api/csv.ts'
import { acceptListed, endorsementsQuery, WAITING_ENDORSEMENTS } from '../../api/endorsements.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { BulkDialog } from '../../parts/bulk-dialog.tsx'
import { BulkBar } from '../../parts/bulk.tsx'
import { ENDORSEMENT_COLUMNS, placeOfEndorsement } from '../../parts/endorsement-columns.tsx'
import { useEndorsementDialog } from '../../parts/endorsement-dialog.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { ListTabs, type NamedList, useNamedList } from '../../parts/list-tabs.tsx'
import { Money } from '../../parts/money.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { today } from '../../parts/texts.ts'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago, Day } from '../../parts/when.tsx'

type Row = ListedEndorsement
type Lists = readonly [NamedList<ListEndorsementsQuery>, ...NamedList<ListEndorsementsQuery>[]]

/** Those that wait come by the day on which they are due, the others by their last change. */
const lists = (): Lists => [
  { id: '', title: 'Waiting', filter: WAITING_ENDORSEMENTS },
  { id: 'overdue', title: 'Overdue', filter: { due_before: plainDate(today()) } },
  { id: 'accepted', title: 'Accepted', filter: { state: ['ACCEPTED'] } },
  { id: 'refused', title: 'Refused', filter: { state: ['REFUSED'] } },
  { id: 'withdrawn', title: 'Withdrawn', filter: { state: ['WITHDRAWN'] } },
  { id: 'all', title: 'All', filter: {} },
]

const MORE: readonly Column<Row>[] = [
  {
    title: 'Policy',
    isExtra: 'widest',
    cell: (row) => <Id id={row.insurance_policy_id} to={placeOfEndorsement(row)} />,
  },
  { title: 'Holds from', isExtra: 'widest', cell: ({ on }) => <Day day={on} /> },
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
  effect: 'The decision on the last one of a policy makes its next certificate. No date moves.',
  act: acceptListed,
}

const OPEN: readonly string[] = ['', 'overdue']

/** The work list of endorsements: those that wait, the earliest due day first. */
export function Screen() {
  const [state] = useUrlState()
  const { role } = useSession()
  const queries = useQueryClient()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [run, setRun] = useState<readonly Row[]>()
  const { column, dialog } = useEndorsementDialog()
  const { id: list, filter } = useNamedList(lists())
  const query = useQuery(endorsementsQuery(filter, textIn(state['after'])))
  const rows = query.data?.data.filter(({ id }) => selected.has(id)) ?? []
  const waiting = rows.filter((row) => row.state === 'REQUESTED')
  const columns = [
    ...ENDORSEMENT_COLUMNS,
    { title: 'Requested', isExtra: 'wide' as const, cell: ({ created_at }: Row) => <Ago at={created_at} /> },
    ...MORE,
    ...(OPEN.includes(list) ? [] : DECIDED),
    column,
  ]

  return (
    <Page title="Endorsements">
      <ListTabs label="Lists of endorsements" lists={lists()} current={list} />
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
        to={placeOfEndorsement}
        selection={may(role, 'setEndorsementState') ? { ids: selected, change: setSelected } : undefined}
        empty={
          OPEN.includes(list) ? (
            <Empty title={list === '' ? 'No endorsement waits' : 'None is overdue'}>
              A correction of a person on an issued policy, or another nominee, comes here.
            </Empty>
          ) : (
            <Empty title="No endorsements here">Choose another list.</Empty>
          )
        }
      />
    </Page>
  )
}
