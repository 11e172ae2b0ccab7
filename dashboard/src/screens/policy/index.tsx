import { type InsurancePolicy, NotFoundError, policyId, userId } from '@banyan/client'
import { Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Fragment } from 'react'
import { type PolicyRef, policyQuery, policyStatusQuery, readPolicies } from '../../api/policies.ts'
import { Id } from '../../parts/id.tsx'
import { Neighbours } from '../../parts/neighbours.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { placeOfPolicy } from '../../parts/policy-columns.tsx'
import { policyListIn } from '../../parts/policy-list.ts'
import { places } from '../../parts/places.ts'
import { textIn } from '../../parts/url-search.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useSession } from '../../api/session.ts'
import { may } from '../../api/rights.ts'
import { Assignee } from './assignee.tsx'
import { Cover } from './cover.tsx'
import { Endorsements } from './endorsements.tsx'
import { Documents, READERS } from './documents.tsx'
import { End } from './end.tsx'
import { Terms } from './terms.tsx'
import { Transitions } from './transitions.tsx'
import { StatePath } from './state-path.tsx'
import { Timeline } from './timeline.tsx'
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
              <Cover policy={data} at={policy} />
              {data.documents.policy_certificate !== null && <End record={data} policy={policy} />}
              {status.data && <Endorsements at={policy} status={status.data.status} />}
              <Terms at={policy} />
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
