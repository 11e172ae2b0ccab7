import type { ListedInsurancePolicy } from '@banyan/client'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Id } from './id.tsx'
import type { Column } from './list-page.tsx'
import { Named } from './named.tsx'
import { PersonId } from './person-id.tsx'
import { places } from './places.ts'
import { StateBadge } from './state-badge.tsx'
import { Day } from './when.tsx'

export const placeOfPolicy = ({ user_id, id }: ListedInsurancePolicy) => places.policy(user_id, id)

/** What every list of policies shows: what it is and whose, the id last. */
export const POLICY_COLUMNS: readonly Column<ListedInsurancePolicy>[] = [
  {
    title: 'Policy',
    cell: (row) => (
      <Anchor component={Link} size="sm" to={placeOfPolicy(row)}>
        <Named id={row.benefit_id} isPlain />, {row.plan_code}
      </Anchor>
    ),
  },
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Person', isExtra: true, cell: ({ user_id }) => <PersonId id={user_id} tab="policies" /> },
  { title: 'Ends', isExtra: true, cell: ({ end_date }) => <Day day={end_date} /> },
]

export const POLICY_ID: Column<ListedInsurancePolicy> = {
  title: 'Id',
  isExtra: 'widest',
  cell: (row) => <Id id={row.id} to={placeOfPolicy(row)} />,
}
