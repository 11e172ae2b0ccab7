import { type InsurancePolicy, NotFoundError, policyId, userId } from '@banyan/client'
import { Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import { readEndorsements } from '../../api/endorsements.ts'
import { membersQuery } from '../../api/members.ts'
import { type PolicyRef, policyQuery, policyStatusQuery, readPolicies } from '../../api/policies.ts'
import { placeOfEndorsement } from '../../parts/endorsement-columns.tsx'
import { endorsementFilterIn } from '../../parts/endorsement-lists.ts'
import { Id } from '../../parts/id.tsx'
import { Neighbours } from '../../parts/neighbours.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { placeOfPolicy } from '../../parts/policy-columns.tsx'
import { policyListIn } from '../../parts/policy-list.ts'
import { places } from '../../parts/places.ts'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useSession } from '../../api/session.ts'
import { may } from '../../api/rights.ts'
import { Assignee } from './assignee.tsx'
import { Cover } from './cover.tsx'
import { Endorsements, useOpenEndorsements } from './endorsements.tsx'
import { Documents, READERS } from './documents.tsx'
import { End } from './end.tsx'
import { Members } from './members.tsx'
import { nameOf } from './name-of.ts'
import { Terms } from './terms.tsx'
import { Transitions } from './transitions.tsx'
import { SentBack } from './sent-back.tsx'
import { StatePath } from './state-path.tsx'
import { Timeline } from './timeline.tsx'
import './policy.css'

/** One policy: where it stands, what can be done, its documents and its history. */
export function Screen() {
  const params: { userId?: string; policyId?: string } = useParams({ strict: false })
  const policy: PolicyRef = { userId: userId(params.userId ?? ''), id: policyId(params.policyId ?? '') }
  const { role } = useSession()
  const [state] = useUrlState()
  const endorsement = textIn(state['endorsement'])
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
      <NeighboursOf id={policy.id} endorsement={endorsement} />
      <Section title="State">
        <Loaded query={status} lines={3}>
          {(data) => (
            <Fragment key={policy.id}>
              <StatePath status={data} />
              {data.is_sent_back && <SentBack policy={policy} />}
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
            <Inside key={policy.id} record={data} at={policy} status={status.data?.status} endorsement={endorsement} />
          )}
        </Loaded>
        <Timeline key={policy.id} policy={policy} />
      </div>
    </Page>
  )
}

type NeighboursSettings = {
  id: string
  /** The endorsement that the page was opened for. */
  endorsement: string | undefined
}

/** The list that it was opened from is that of policies or, for an endorsement, that of endorsements. */
function NeighboursOf({ id, endorsement }: NeighboursSettings) {
  if (endorsement !== undefined)
    return (
      <Neighbours
        id={endorsement}
        list={places.endorsements}
        read={(state, signal) =>
          readEndorsements(endorsementFilterIn(state), { after: textIn(state['after']), signal })
        }
        placeOf={placeOfEndorsement}
      />
    )
  return (
    <Neighbours
      id={id}
      list={places.policies}
      read={(state, signal) => readPolicies(policyListIn(state).filter, { after: textIn(state['after']), signal })}
      placeOf={placeOfPolicy}
    />
  )
}

type InsideSettings = {
  record: InsurancePolicy
  at: PolicyRef
  status: string | undefined
  endorsement: string | undefined
}

/** What is read of its record, and who is on it. */
function Inside({ record, at, status, endorsement }: InsideSettings) {
  const { role } = useSession()
  const [purpose, setPurpose] = useState<string>()
  const members = useQuery(membersQuery(at, purpose))
  const isIssued = record.documents.policy_certificate !== null
  const endorsements = useOpenEndorsements(at, { status, isIssued })
  const waiting = endorsements?.data?.data ?? []
  const named = [...record.dependants, ...(members.data?.data.slice(1) ?? [])]
  const nameById = (person: string) => {
    const found = named.find(({ id }) => (id as string) === person)
    return found && nameOf(found)
  }
  const days = {
    isIssued,
    isOver: status === undefined || OVER.includes(status),
    leaving: waiting.flatMap(({ kind, on }) => (kind === 'LEAVE' ? [on] : [])),
  }
  return (
    <div className="stack">
      <Cover policy={record} at={at} />
      <Members at={at} query={members} purpose={purpose} give={setPurpose} days={days} />
      {isIssued && <End record={record} policy={at} />}
      {endorsements && <Endorsements query={endorsements} nameOf={nameById} current={endorsement} />}
      <Terms at={at} />
      {READERS.includes(role) && <Documents policy={record} at={at} />}
      <Questionnaire policy={record} />
    </div>
  )
}

/** In which nobody joins or leaves any more. */
const OVER: readonly string[] = ['EXPIRED', 'REJECTED']

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
