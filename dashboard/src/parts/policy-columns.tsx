import type { ListedInsurancePolicy } from '@banyan/client'
import { Id } from './id.tsx'
import type { Column } from './list-page.tsx'
import { Named } from './named.tsx'
import { places } from './places.ts'
import { StateBadge } from './state-badge.tsx'
import { Day } from './when.tsx'

export const placeOfPolicy = ({ user_id, id }: ListedInsurancePolicy) => places.policy(user_id, id)

/** What every list of policies shows. */
export const POLICY_COLUMNS: readonly Column<ListedInsurancePolicy>[] = [
  { title: 'Policy', cell: (row) => <Id id={row.id} to={placeOfPolicy(row)} /> },
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  {
    title: 'Benefit',
    isExtra: 'wide',
    cell: ({ benefit_id }) => (
      <span className="nowrap">
        <Named id={benefit_id} isPlain />
      </span>
    ),
  },
  { title: 'Plan', isExtra: true, cell: ({ plan_code }) => plan_code },
  { title: 'Person', isExtra: 'widest', cell: ({ user_id }) => <Id id={user_id} /> },
  { title: 'Ends', isExtra: true, cell: ({ end_date }) => <Day day={end_date} /> },
]
