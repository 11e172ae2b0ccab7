import type { ListedInsurancePolicy } from '@banyan/client'
import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Id } from './id.tsx'
import type { Column } from './list-page.tsx'
import { Named } from './named.tsx'
import { PersonId } from './person-id.tsx'
import { places } from './places.ts'
import { StateBadge } from './state-badge.tsx'
import { isWaiting } from './policy-list.ts'
import { linkOf } from './url-search.ts'
import { Ago, Day } from './when.tsx'

type PlaceOf = (row: ListedInsurancePolicy) => string

export const placeOfPolicy: PlaceOf = ({ user_id, id }) => places.policy(user_id, id)

/** What every list of policies shows: what it is and whose, the id last. */
export const policyColumnsIn = (placeOf: PlaceOf): readonly Column<ListedInsurancePolicy>[] => [
  {
    title: 'Policy',
    cell: (row) => (
      <Anchor component={Link} size="sm" {...linkOf(placeOf(row))}>
        <Named id={row.benefit_id} isPlain />, {row.plan_code}
      </Anchor>
    ),
  },
  {
    title: 'State',
    cell: ({ status, is_sent_back }) => (
      <>
        <StateBadge state={status} /> {is_sent_back && <StateBadge state="SENT_BACK" />}
      </>
    ),
  },
  { title: 'Person', isExtra: true, cell: ({ user_id }) => <PersonId id={user_id} tab="policies" /> },
  { title: 'Ends', isExtra: true, cell: ({ end_date }) => <Day day={end_date} /> },
]

export const idColumnIn = (placeOf: PlaceOf): Column<ListedInsurancePolicy> => ({
  title: 'Id',
  isExtra: 'widest',
  cell: (row) => <Id id={row.id} to={placeOf(row)} />,
})

/** Since the last transition, where somebody has to act. */
export const WAITING_SINCE: Column<ListedInsurancePolicy> = {
  title: 'Waiting since',
  cell: ({ status, status_since }) =>
    status_since !== null && isWaiting(status) ? <Ago at={status_since} /> : <span className="quiet">–</span>,
}
