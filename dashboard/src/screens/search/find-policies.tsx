import { banyan } from '../../api/banyan.ts'
import { fieldErrorsOf } from '../../api/problem.ts'
import { CursorList } from '../../parts/list-page.tsx'
import { Empty, Failed } from '../../parts/outcomes.tsx'
import { placeOfPolicy, POLICY_COLUMNS } from '../../parts/policy-columns.tsx'
import { SearchForm, type Term } from './search-form.tsx'
import { useSearch } from './use-search.ts'

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
          columns={POLICY_COLUMNS}
          idOf={({ id }) => id}
          nameOf={({ id }) => `policy ${id}`}
          to={placeOfPolicy}
          empty={<Empty title="No policy was found">Check the number; it has to be whole.</Empty>}
        />
      )}
    </>
  )
}
