import type { ListedInsurancePolicy } from '@banyan/client'
import { banyan } from '../../api/banyan.ts'
import { fieldErrorsOf } from '../../api/problem.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty, Failed } from '../../parts/outcomes.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Day } from '../../parts/when.tsx'
import { SearchForm, type Term } from './search-form.tsx'
import { useSearch } from './use-search.ts'

type Row = ListedInsurancePolicy

const placeOf = ({ user_id, id }: Row) => places.policy(user_id, id)

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Policy', cell: (row) => <Id id={row.id} to={placeOf(row)} /> },
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Plan', isExtra: true, cell: ({ plan_code }) => plan_code },
  { title: 'Person', isExtra: true, cell: ({ user_id }) => <Id id={user_id} /> },
  { title: 'Ends', isExtra: true, cell: ({ end_date }) => <Day day={end_date} /> },
]

const sendFor =
  (by: string) =>
  ({ number = '' }: Term) =>
    banyan.policies.search(by === 'group' ? { master_policy_number: number } : { external_policy_id: number })

/** By the insurer’s number of one policy, or of a group. */
export function FindPolicies({ by }: { by: string }) {
  const { query, error, isSearching, search } = useSearch(by, sendFor(by))
  const errors = fieldErrorsOf(error)
  const field = {
    name: 'number',
    label: by === 'group' ? 'Number of the group policy' : 'The insurer’s number of the policy',
    error: errors['/external_policy_id'] ?? errors['/master_policy_number'],
  }
  return (
    <>
      <SearchForm fields={[field]} search={search} isSearching={isSearching} />
      {error && field.error === undefined && <Failed error={error} />}
      {query.data && (
        <CursorList
          label="Policies found"
          query={query}
          columns={COLUMNS}
          idOf={({ id }) => id}
          nameOf={({ id }) => `policy ${id}`}
          to={placeOf}
          empty={<Empty title="No policy was found">Check the number; it has to be whole.</Empty>}
        />
      )}
    </>
  )
}
