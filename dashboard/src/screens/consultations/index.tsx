import type { ListedConsultation } from '@banyan/client'
import type { ListAllConsultationsQuery } from '@banyan/client/operations'
import { useQuery } from '@tanstack/react-query'
import { consultationsQuery } from '../../api/work-lists.ts'
import { Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { ListTabs, useNamedList } from '../../parts/list-tabs.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'
import { PersonId } from '../../parts/person-id.tsx'

const LISTS = [
  { id: '', title: 'Waiting for a reply', filter: { unanswered_by: 'provider' } },
  { id: 'open', title: 'Open', filter: { status: ['OPEN'] } },
  { id: 'closed', title: 'Closed', filter: { status: ['CLOSED'] } },
  { id: 'all', title: 'All', filter: {} },
] as const satisfies readonly { id: string; title: string; filter: ListAllConsultationsQuery }[]

const placeOf = ({ user_id, id }: ListedConsultation) => places.consultation(user_id, id)

const COLUMNS: readonly Column<ListedConsultation>[] = [
  { title: 'Consultation', cell: (row) => <Id id={row.id} to={placeOf(row)} /> },
  { title: 'State', isExtra: true, cell: ({ status }) => <StateBadge state={status} /> },
  {
    title: 'Waits for',
    cell: ({ unanswered_by }) => (unanswered_by === null ? <span className="quiet">–</span> : 'The provider'),
  },
  { title: 'Person', isExtra: true, cell: ({ user_id }) => <PersonId id={user_id} tab="consultations" /> },
  { title: 'Provider', isExtra: true, cell: ({ benefit_provider_id: id }) => <Named id={id} /> },
  {
    title: 'Last message',
    cell: ({ last_message_at }) =>
      last_message_at === null ? <span className="quiet">None yet</span> : <Ago at={last_message_at} />,
  },
]

/** The work list of consultations: those in which the provider has to reply. */
export function Screen() {
  const [{ after }] = useUrlState()
  const { id, filter } = useNamedList<ListAllConsultationsQuery>(LISTS)
  const query = useQuery(consultationsQuery(filter, textIn(after)))
  return (
    <Page title="Consultations">
      <ListTabs label="Lists of consultations" lists={LISTS} current={id} />
      <CursorList
        label="Consultations"
        query={query}
        columns={COLUMNS}
        idOf={(row) => row.id}
        nameOf={(row) => `consultation ${row.id}`}
        to={placeOf}
        empty={
          id === '' ? (
            <Empty title="Nothing waits for a reply">Nothing to do here. “All” shows the others.</Empty>
          ) : (
            <Empty title="No consultations here">Choose another list.</Empty>
          )
        }
      />
    </Page>
  )
}
