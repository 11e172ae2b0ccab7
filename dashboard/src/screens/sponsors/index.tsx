import type { Sponsor } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { sponsorsQuery } from '../../api/partners.ts'
import { distinct } from '../../parts/distinct.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { NameLink } from '../../parts/name-link.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge, stateText } from '../../parts/state-badge.tsx'
import { useStateFilter } from '../../parts/state-filter.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { NewSponsor } from './new-sponsor.tsx'

const placeOf = ({ id }: Sponsor) => places.sponsor(id)

/** Two with one name are told apart by the ends of their ids. */
function nameColumn(rows: readonly Sponsor[]): Column<Sponsor> {
  const names = new Map(
    distinct(rows.map(({ id, name }) => ({ value: id, label: name }))).map((one) => [one.value, one.label]),
  )
  return { title: 'Sponsor', cell: (row) => <NameLink name={names.get(row.id) ?? row.name} to={placeOf(row)} /> }
}

const COLUMNS: readonly Column<Sponsor>[] = [
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Kind', isExtra: true, cell: ({ sponsor_details }) => stateText(sponsor_details.sponsor_kind) },
  { title: 'Id', isExtra: true, cell: ({ id }) => <Id id={id} /> },
  { title: 'Changed', isExtra: true, cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
]

/** Who pays for benefits. A new one waits for a review. */
export function Screen() {
  const [state] = useUrlState()
  const { role } = useSession()
  const { chosen, filter } = useStateFilter(['PENDING', 'ACTIVE', 'INACTIVE'])
  const query = useQuery(sponsorsQuery(chosen, textIn(state['after'])))
  return (
    <Page title="Sponsors" aside={may(role, 'createSponsor') && <NewSponsor />}>
      {filter}
      <CursorList
        label="Sponsors"
        csv={() => csvOf.sponsors(chosen)}
        query={query}
        columns={[nameColumn(query.data?.data ?? []), ...COLUMNS]}
        idOf={({ id }) => id}
        nameOf={({ id }) => `sponsor ${id}`}
        to={placeOf}
        empty={<Empty title="No sponsors here">Choose other states, or create one.</Empty>}
      />
    </Page>
  )
}
