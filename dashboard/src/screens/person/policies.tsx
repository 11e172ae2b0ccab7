import type { InsurancePolicy, UserId } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { personPoliciesQuery, personPolicyStatusQuery } from '../../api/people.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Day } from '../../parts/when.tsx'
import { type Looker, Sealed } from './sealed.tsx'

export function Policies(looker: Looker) {
  return (
    <Sealed looker={looker} what="policies">
      {(purpose) => <Opened {...looker} purpose={purpose} />}
    </Sealed>
  )
}

function Opened({ id, purpose }: Looker & { purpose: string }) {
  const [{ after }] = useUrlState()
  const query = useQuery(personPoliciesQuery(id, { purpose, after: textIn(after) }))
  const placeOf = (policy: InsurancePolicy) => places.policy(id, policy.id)
  const columns: readonly Column<InsurancePolicy>[] = [
    { title: 'Policy', cell: (policy) => <Id id={policy.id} to={placeOf(policy)} /> },
    { title: 'State', cell: (policy) => <State id={id} policy={policy} purpose={purpose} /> },
    { title: 'Benefit', cell: ({ benefit_name }) => benefit_name },
    { title: 'Plan', isExtra: true, cell: ({ plan_code }) => plan_code },
    { title: 'People', isExtra: true, isNumber: true, cell: ({ dependants }) => dependants.length + 1 },
    { title: 'From', isExtra: true, cell: ({ start_date }) => <Day day={start_date} /> },
    { title: 'Until', isExtra: true, cell: ({ end_date }) => <Day day={end_date} /> },
  ]
  return (
    <CursorList
      label="Policies of this person"
      csv={() => csvOf.ofPerson.policies(id, { purpose })}
      query={query}
      columns={columns}
      idOf={(policy) => policy.id}
      nameOf={(policy) => `policy ${policy.id}`}
      to={placeOf}
      empty={<Empty title="No policies">The partner applies for one when the person chooses a benefit.</Empty>}
    />
  )
}

/** A list of a person’s policies has no states, so each is read. */
function State({ id, policy, purpose }: { id: UserId; policy: InsurancePolicy; purpose: string }) {
  const { data } = useQuery(personPolicyStatusQuery(id, policy.id, purpose))
  return data ? <StateBadge state={data.status} /> : <span className="quiet">…</span>
}
