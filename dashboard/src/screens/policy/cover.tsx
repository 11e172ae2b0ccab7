import type { InsurancePolicy } from '@banyan/client'
import { Fragment } from 'react'
import type { PolicyRef } from '../../api/policies.ts'
import { Money } from '../../parts/money.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { PersonId } from '../../parts/person-id.tsx'
import { Day } from '../../parts/when.tsx'
import { type Name, nameOf } from './name-of.ts'
import { Nominee } from './nominee.tsx'

/** As documents print it until the insurer gives a number of its own. */
const printedNumberOf = (id: string): string => (id.slice(-12).toUpperCase().match(/.{4}/g) ?? []).join('-')

/** Who is covered, by what, and who is paid if the member dies. */
export function Cover({ policy, at }: { policy: InsurancePolicy; at: PolicyRef }) {
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
          ['From', <Day day={policy.start_date} />],
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

/** Each by itself, so that the letters of one cannot order those of another. */
const Names = ({ people }: { people: readonly Name[] }) =>
  people.map((person, index) => (
    <Fragment key={index}>
      {index > 0 && ', '}
      <bdi>{nameOf(person)}</bdi>
    </Fragment>
  ))
