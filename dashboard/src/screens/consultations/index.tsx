import type { ListedConsultation } from '@banyan/client'
import { Anchor, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { csvOf } from '../../api/csv.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { consultationsQuery } from '../../api/work-lists.ts'
import { Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { ListTabs, useNamedList } from '../../parts/list-tabs.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { CONSULTATION_LISTS, consultationFilterIn, placeOfConsultation } from '../../parts/consultation-lists.ts'
import { places } from '../../parts/places.ts'
import { placeInList, useKeptList } from '../../parts/neighbours.tsx'
import { OrderSelect } from '../../parts/order-select.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { linkOf, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'
import { PersonId } from '../../parts/person-id.tsx'

const PERSON: Column<ListedConsultation> = {
  title: 'Person',
  isExtra: true,
  cell: ({ user_id }) => <PersonId id={user_id} tab="consultations" />,
}

/** `opensPeople`: whether the role sees their screens. */
const columnsIn = (
  placeIn: (row: ListedConsultation) => string,
  opensPeople: boolean,
): readonly Column<ListedConsultation>[] => [
  {
    title: 'Consultation',
    cell: (row) => (
      <Anchor component={Link} size="sm" {...linkOf(placeIn(row))}>
        With {row.user_id}
      </Anchor>
    ),
  },
  { title: 'State', isExtra: true, cell: ({ status }) => <StateBadge state={status} /> },
  {
    title: 'Waits for',
    cell: ({ unanswered_by }) => (unanswered_by === null ? <span className="quiet">–</span> : 'The provider'),
  },
  ...(opensPeople ? [PERSON] : []),
  { title: 'Provider', isExtra: true, cell: ({ benefit_provider_id: id }) => <Named id={id} /> },
  {
    title: 'Waiting since',
    cell: ({ unanswered_by, last_message_at, created_at }) =>
      unanswered_by === null ? <span className="quiet">–</span> : <Ago at={last_message_at ?? created_at} />,
  },
  {
    title: 'Last message',
    isExtra: 'wide',
    cell: ({ last_message_at }) =>
      last_message_at === null ? <span className="quiet">None yet</span> : <Ago at={last_message_at} />,
  },
  { title: 'Id', isExtra: 'widest', cell: (row) => <Id id={row.id} to={placeIn(row)} /> },
]

/** The work list of consultations: those in which the provider has to reply. */
export function Screen() {
  const [state] = useUrlState()
  const { role } = useSession()
  const { id } = useNamedList(CONSULTATION_LISTS)
  const filter = consultationFilterIn(state)
  const query = useQuery(consultationsQuery(filter, textIn(state['after'])))
  useKeptList(places.consultations, query)
  const placeIn = (row: ListedConsultation) => placeInList(placeOfConsultation(row), state)
  return (
    <Page title="Consultations">
      <Group justify="space-between">
        <ListTabs label="Lists of consultations" lists={CONSULTATION_LISTS} current={id} />
        <OrderSelect />
      </Group>
      <CursorList
        label="Consultations"
        csv={() => csvOf.consultations(filter)}
        query={query}
        columns={columnsIn(placeIn, may(role, 'readUser'))}
        idOf={(row) => row.id}
        nameOf={(row) => `consultation ${row.id}`}
        to={placeIn}
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
