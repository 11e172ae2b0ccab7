import { type InsurancePolicy, NotFoundError, policyId, type UserId, userId } from '@banyan/client'
import { Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Fragment } from 'react'
import { type PolicyRef, policyQuery, policyStatusQuery, readPolicies } from '../../api/policies.ts'
import { Id } from '../../parts/id.tsx'
import { Money } from '../../parts/money.tsx'
import { Neighbours } from '../../parts/neighbours.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { placeOfPolicy } from '../../parts/policy-columns.tsx'
import { policyListIn } from '../../parts/policy-list.ts'
import { places } from '../../parts/places.ts'
import { textIn } from '../../parts/url-search.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Day } from '../../parts/when.tsx'
import { useSession } from '../../api/session.ts'
import { may } from '../../api/rights.ts'
import { Assignee } from './assignee.tsx'
import { Births } from './births.tsx'
import { Documents, READERS } from './documents.tsx'
import { End } from './end.tsx'
import { Transitions } from './transitions.tsx'
import { StatePath } from './state-path.tsx'
import { Timeline } from './timeline.tsx'
import { PersonId } from '../../parts/person-id.tsx'
import './policy.css'

/** One policy: where it stands, what can be done, its documents and its history. */
export function Screen() {
  const params: { userId?: string; policyId?: string } = useParams({ strict: false })
  const policy: PolicyRef = { userId: userId(params.userId ?? ''), id: policyId(params.policyId ?? '') }
  const { role } = useSession()
  const record = useQuery(policyQuery(policy))
  const status = useQuery(policyStatusQuery(policy))
  if (record.error instanceof NotFoundError && status.error instanceof NotFoundError)
    return (
      <Page title="Policy" aside={<Id id={policy.id} />}>
        <Empty title="This policy does not exist here">Or your role does not see it. Check the address.</Empty>
      </Page>
    )
  return (
    <Page
      title={
        <>
          Policy {status.data && <StateBadge state={status.data.status} />}{' '}
          {status.data?.is_sent_back && <StateBadge state="SENT_BACK" />}
        </>
      }
      aside={<Id id={policy.id} />}
    >
      <Neighbours
        id={policy.id}
        list={places.policies}
        read={(state, signal) => readPolicies(policyListIn(state).filter, { after: textIn(state['after']), signal })}
        placeOf={placeOfPolicy}
      />
      <Section title="State">
        <Loaded query={status} lines={3}>
          {(data) => (
            <Fragment key={policy.id}>
              <StatePath status={data} />
              <Transitions status={data} policy={policy} />
            </Fragment>
          )}
        </Loaded>
        {may(role, 'readInsurancePolicyAssignee') && (
          <Assignee key={policy.id} policy={policy} benefitId={record.data?.benefit_id} />
        )}
      </Section>
      <div className="split">
        <Loaded query={record} lines={12}>
          {(data) => (
            <div className="stack" key={policy.id}>
              <Terms policy={data} userId={policy.userId} />
              {data.documents.policy_certificate !== null && <End record={data} policy={policy} />}
              {READERS.includes(role) && <Documents policy={data} at={policy} />}
              <Questionnaire policy={data} />
            </div>
          )}
        </Loaded>
        <Timeline key={policy.id} policy={policy} />
      </div>
    </Page>
  )
}

/** As documents print it until the insurer gives a number of its own. */
const printedNumberOf = (id: string): string => (id.slice(-12).toUpperCase().match(/.{4}/g) ?? []).join('-')

function Terms({ policy, userId }: { policy: InsurancePolicy; userId: UserId }) {
  const { primary_member: member, dependants, premium_amounts: premium } = policy
  const { role } = useSession()
  return (
    <Section title="Cover">
      <Facts
        facts={[
          ['Member', <bdi>{nameOf(member)}</bdi>],
          ['Person', <PersonId id={userId} tab="policies" />],
          ['Number on card and certificate', policy.external_policy_id ?? printedNumberOf(policy.id)],
          ['Dependants', dependants.length === 0 ? 'None' : <Names people={dependants} />],
          ['Nominee', <bdi>{findNominee(policy)}</bdi>],
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
      {may(role, 'readDependant') && <Births policy={policy} userId={userId} nameOf={nameOf} />}
    </Section>
  )
}

type Name = { first_name: string | null; last_name: string | null }

/** Each by itself, so that the letters of one cannot order those of another. */
const Names = ({ people }: { people: readonly Name[] }) =>
  people.map((person, index) => (
    <Fragment key={index}>
      {index > 0 && ', '}
      <bdi>{nameOf(person)}</bdi>
    </Fragment>
  ))

const nameOf = ({ first_name, last_name }: Name): string =>
  [first_name, last_name].filter((name) => name !== null).join(' ') || 'Name not given'

/** Who is paid if the member dies: one of the dependants, whose name is known here if they are covered. */
function findNominee({ dependants, nominee_details: nominee }: InsurancePolicy): string {
  if (nominee === null) return 'None'
  const dependant = dependants.find(({ id }) => id === nominee.dependant_id)
  return dependant ? nameOf(dependant) : 'A dependant who is not covered'
}

function Questionnaire({ policy: { questionnaire } }: { policy: InsurancePolicy }) {
  const questions = questionnaire?.questions ?? []
  return (
    <Section title="Questionnaire">
      {questions.length === 0 ? (
        <Empty title="No questions were asked" />
      ) : (
        <Table className="list">
          <Table.Tbody>
            {questions.map(({ question, answer }) => (
              <Table.Tr key={question}>
                <Table.Td className="breaks" dir="auto">
                  {question}
                </Table.Td>
                <Table.Td fw={600}>{answer ? 'Yes' : 'No'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  )
}
