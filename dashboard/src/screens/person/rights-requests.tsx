import type { RightsRequest } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { rightsRequestsQuery } from '../../api/consents.ts'
import { csvOf } from '../../api/csv.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Day, Time } from '../../parts/when.tsx'
import { type Looker, Sealed } from './sealed.tsx'

const KINDS: Readonly<Record<string, string>> = {
  ACCESS: 'Access',
  CORRECTION: 'Correction',
  ERASURE: 'Erasure',
  NOMINATION: 'Nomination',
  GRIEVANCE: 'Grievance',
}

const COLUMNS: readonly Column<RightsRequest>[] = [
  { title: 'Asks for', cell: ({ kind }) => KINDS[kind] ?? kind },
  { title: 'About', isExtra: true, cell: ({ dependant_id: id }) => (id === null ? 'The person' : <Id id={id} />) },
  { title: 'Asked', isExtra: true, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { title: 'Due', cell: ({ due_on }) => <Day day={due_on} /> },
  { title: 'What', cell: ({ text }) => <span dir="auto">{text}</span> },
  { title: 'Response', isExtra: true, cell: ({ reason }) => <span dir="auto">{reason}</span> },
]

/** What a person asked of the partner by law, and how far it is. */
export function RightsRequests(looker: Looker) {
  return (
    <Sealed looker={looker} what="requests">
      {(purpose) => <Opened {...looker} purpose={purpose} />}
    </Sealed>
  )
}

function Opened({ id, purpose }: Looker & { purpose: string }) {
  const [{ after }] = useUrlState()
  const query = useQuery(rightsRequestsQuery(id, { purpose, after: textIn(after) }))
  return (
    <CursorList
      label="Requests of this person"
      csv={() => csvOf.ofPerson.rightsRequests(id, { purpose })}
      query={query}
      columns={COLUMNS}
      idOf={(request) => request.id}
      nameOf={(request) => `request ${request.id}`}
      empty={
        <Empty title="No requests">The person, or the partner’s desk for them, asks by the law on personal data.</Empty>
      }
    />
  )
}
