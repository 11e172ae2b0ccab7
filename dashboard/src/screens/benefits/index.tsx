import type { Benefit } from '@banyan/client'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { csvOf } from '../../api/csv.ts'
import { benefitsQuery } from '../../api/partners.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { NameLink } from '../../parts/name-link.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useStateFilter } from '../../parts/state-filter.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'

const placeOf = ({ id }: Benefit) => places.benefit(id)

const COLUMNS: readonly Column<Benefit>[] = [
  { title: 'Benefit', cell: (row) => <NameLink name={row.name} to={placeOf(row)} /> },
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Plans', isExtra: true, cell: ({ plans }) => plans.map(({ plan_code }) => plan_code).join(', ') },
  { title: 'Id', isExtra: true, cell: ({ id }) => <Id id={id} /> },
  { title: 'Changed', isExtra: true, cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
]

/** What people can be enrolled in. Without a choice of states, the active ones. */
export function Screen() {
  const [state] = useUrlState()
  const { role } = useSession()
  const { chosen, filter } = useStateFilter(['ACTIVE', 'ARCHIVED'])
  const query = useQuery(benefitsQuery(chosen, textIn(state['after'])))
  const create = mayWrite(role) && (
    <Button size="xs" component={Link} to="/benefits/new">
      New benefit
    </Button>
  )
  return (
    <Page title="Benefits" aside={create}>
      {filter}
      <CursorList
        label="Benefits"
        csv={() => csvOf.benefits(chosen)}
        query={query}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        to={placeOf}
        empty={<Empty title="No benefits here">Choose other states. Operators create benefits.</Empty>}
      />
    </Page>
  )
}
