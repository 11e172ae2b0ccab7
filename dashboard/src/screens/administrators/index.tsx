import type { Administrator } from '@banyan/client'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { csvOf } from '../../api/csv.ts'
import { administratorsQuery } from '../../api/administrators.ts'
import { isRole, ROLE_NAMES } from '../../api/roles.ts'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useStateFilter } from '../../parts/state-filter.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'
import { AdministratorDetails } from './details.tsx'

const COLUMNS: readonly Column<Administrator>[] = [
  { title: 'Name', cell: (row) => <PersonLink administrator={row} /> },
  { title: 'Role', cell: ({ role }) => (isRole(role) ? ROLE_NAMES[role] : role) },
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Last seen', isExtra: true, cell: ({ last_seen_at }) => <Ago at={last_seen_at} /> },
]

/** Everyone who has ever logged in; the one whose sessions are shown is in the address, by id. */
export function Screen() {
  const [state] = useUrlState()
  const { chosen, filter } = useStateFilter(['ACTIVE', 'DISABLED'])
  const query = useQuery(administratorsQuery(chosen, textIn(state['after'])))
  const shown = query.data?.data.find(({ id }) => id === state['person'])
  return (
    <Page title="Administrators">
      {filter}
      {shown && <AdministratorDetails key={shown.id} administrator={shown} />}
      <CursorList
        label="Administrators"
        csv={() => csvOf.administrators(chosen)}
        query={query}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={({ id }) => `administrator ${id}`}
        empty={<Empty title="Nobody here">Choose other states. A person is added by the first login.</Empty>}
      />
    </Page>
  )
}

function PersonLink({ administrator: { id, name } }: { administrator: Administrator }) {
  return (
    <Anchor
      size="sm"
      component={Link}
      to="."
      search={((before: object) => ({ ...before, person: id })) as never}
      resetScroll={false}
    >
      {name ?? id}
    </Anchor>
  )
}
