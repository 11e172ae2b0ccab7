import type { InsurancePolicy } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { type PolicyRef, termsQuery } from '../../api/policies.ts'
import { Money } from '../../parts/money.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { PersonId } from '../../parts/person-id.tsx'
import { Day } from '../../parts/when.tsx'
import { type Name, nameOf } from './name-of.ts'
import { Nominee } from './nominee.tsx'

/** As documents print it until the insurer gives a number of its own. */
const printedNumberOf = (id: string): string => (id.slice(-12).toUpperCase().match(/.{4}/g) ?? []).join('-')

type CoverSettings = { policy: InsurancePolicy; at: PolicyRef }

/** Who is covered, by what, and who is paid if the member dies. */
export function Cover({ policy, at }: CoverSettings) {
  const { userId } = at
  const { primary_member: member, dependants, premium_amounts: premium } = policy
  return (
    <Section title="Cover">
      <Facts
        facts={[
          ['Member', <bdi>{nameOf(member)}</bdi>],
          ['Person', <PersonId id={userId} tab="policies" />],
          ['Number on card and certificate', policy.external_policy_id ?? printedNumberOf(policy.id)],
          ['Dependants', dependants.length === 0 ? 'None' : <Names people={dependants} />],
          ['Nominee', <Nominee policy={policy} at={at} />],
          ['Benefit', policy.benefit_name],
          ['Plan', policy.plan_code],
          ['From', <From policy={policy} at={at} />],
          ['Until', <Day day={policy.end_date} />],
          ['Premium a year', <Money amount={premium.annual} />],
          ['Paid by the sponsor', <Money amount={premium.sponsor_contribution} />],
          ['Insurer’s number', policy.external_policy_id ?? '–'],
          ['Group policy', policy.master_policy_number ?? '–'],
        ]}
      />
    </Section>
  )
}

/** The first day of the term and, where the deposit held its premium only later, that of its cover. */
function From({ policy: { start_date }, at }: CoverSettings) {
  const { data: terms = [] } = useQuery(termsQuery(at))
  const covered = terms.find((term) => term.start_date === start_date)?.cover_from ?? start_date
  return (
    <>
      <Day day={start_date} />
      {covered > start_date && (
        <small className="quiet rule">
          Covered from <Day day={covered} />
        </small>
      )}
    </>
  )
}

/** Each by itself, so that the letters of one cannot order those of another. */
const Names = ({ people }: { people: readonly Name[] }) =>
  people.map((person, index) => (
    <Fragment key={index}>
      {index > 0 && ', '}
      <bdi>{nameOf(person)}</bdi>
    </Fragment>
  ))
