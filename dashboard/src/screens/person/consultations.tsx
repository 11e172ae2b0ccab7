import type { Consultation } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { personConsultationsQuery } from '../../api/people.ts'
import { Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'
import type { Looker } from './sealed.tsx'

const placeOf = ({ user_id, id }: Consultation) => places.consultation(user_id, id)

const COLUMNS: readonly Column<Consultation>[] = [
  { title: 'Thread', cell: (one) => <Id id={one.id} to={placeOf(one)} /> },
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Provider', cell: ({ benefit_provider_id: id }) => <Named id={id} /> },
  { title: 'Opened', isExtra: true, cell: ({ created_at }) => <Time at={created_at} /> },
]

/** The threads of a person; what was written in one is on its own screen. */
export function Consultations({ id }: Looker) {
  const [{ after }] = useUrlState()
  const query = useQuery(personConsultationsQuery(id, textIn(after)))
  return (
    <CursorList
      label="Consultations of this person"
      csv={() => csvOf.ofPerson.consultations(id)}
      query={query}
      columns={COLUMNS}
      idOf={(one) => one.id}
      nameOf={(one) => `consultation ${one.id}`}
      to={placeOf}
      empty={<Empty title="No consultations">The person opens one to ask a provider something.</Empty>}
    />
  )
}
