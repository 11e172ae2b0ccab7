import { type Benefit, benefitId, PreconditionFailedError } from '@banyan/client'
import { Button, Group, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { banyan } from '../../api/banyan.ts'
import { takesFromDeposit } from '../../api/deposits.ts'
import { benefitQuery } from '../../api/partners.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DepositLink } from '../../parts/deposit-link.tsx'
import { Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { Money } from '../../parts/money.tsx'
import { notify } from '../../parts/notices.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts, Page, Section } from '../../parts/page.tsx'
import { premiumOf } from '../../parts/premium.ts'
import { ProblemForm } from '../../parts/problem-form.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'
import { planText } from './benefit-changes.ts'
import { Edit } from './edit.tsx'

/** One benefit with its plans; `edit` in the address opens the form. */
export function Screen() {
  const params: { benefitId?: string } = useParams({ strict: false })
  const id = benefitId(params.benefitId ?? '')
  const { role } = useSession()
  const [{ edit }] = useUrlState()
  const query = useQuery(benefitQuery(id))
  return (
    <Page title={query.data?.name ?? 'Benefit'} aside={<Id id={id} />}>
      <Loaded query={query} lines={8}>
        {(benefit) =>
          edit === 'plans' && mayWrite(role) ? (
            <Edit benefit={benefit} />
          ) : (
            <>
              <About benefit={benefit} />
              <Plans benefit={benefit} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function About({ benefit }: { benefit: Benefit }) {
  const { role } = useSession()
  const [, setState] = useUrlState()
  const actions = mayWrite(role) && benefit.status === 'ACTIVE' && (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => setState({ edit: 'plans' })}>
        Edit
      </Button>
      <Archive benefit={benefit} />
    </Group>
  )
  return (
    <Section title="Benefit" aside={actions}>
      <Facts
        facts={[
          ['State', <StateBadge state={benefit.status} />],
          ['Benefit provider', <Named id={benefit.benefit_provider_id} />],
          ['Sponsor', <Named id={benefit.sponsor_id} />],
          ...(takesFromDeposit(benefit) ? [['Premiums come from', <DepositLink {...benefit} />] as const] : []),
          ['Created', <Time at={benefit.created_at} />],
          ['Changed', <Time at={benefit.last_modified_at} />],
        ]}
      />
    </Section>
  )
}

function Plans({ benefit: { plans } }: { benefit: Benefit }) {
  return (
    <Section title="Plans">
      <Table.ScrollContainer minWidth={0}>
        <Table className="list" aria-label="Plans">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Plan</Table.Th>
              <Table.Th data-number data-extra>
                Months
              </Table.Th>
              <Table.Th data-number data-extra>
                A day
              </Table.Th>
              <Table.Th data-number>A year</Table.Th>
              <Table.Th data-number data-extra>
                The sponsor pays
              </Table.Th>
              <Table.Th data-number>The person pays</Table.Th>
              <Table.Th data-number data-extra>
                Renewal opens
              </Table.Th>
              <Table.Th data-number data-extra>
                Grace
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {plans.map((plan) => (
              <PlanRow key={plan.plan_code} plan={plan} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {plans
        .filter(({ premium_gate }) => premium_gate === 'deposit')
        .map(({ plan_code }) => (
          <Text key={plan_code} size="sm" mt="xs">
            <Id id={plan_code} />: the premium is paid before cover, from the sponsor’s deposit.
          </Text>
        ))}
    </Section>
  )
}

function PlanRow({ plan }: { plan: Benefit['plans'][number] }) {
  const { daily, annual, sponsor_contribution: share } = plan.premium_amounts
  const { person } = premiumOf({ daily, annual, share })
  return (
    <Table.Tr>
      <Table.Td>
        <Id id={plan.plan_code} />
        {plan.plan_name !== null && <div dir="auto">{plan.plan_name}</div>}
      </Table.Td>
      <Table.Td data-number data-extra>
        {plan.term_months}
      </Table.Td>
      <Table.Td data-number data-extra>
        <Money amount={daily} />
      </Table.Td>
      <Table.Td data-number>
        <Money amount={annual} />
      </Table.Td>
      <Table.Td data-number data-extra>
        <Money amount={share} />
      </Table.Td>
      <Table.Td data-number>{person && <Money amount={person} />}</Table.Td>
      <Table.Td data-number data-extra>
        {plan.renewal_window_days} days before
      </Table.Td>
      <Table.Td data-number data-extra>
        {plan.grace_days} days
        {plan.grace_cover === 'NONE' && ', not covered'}
      </Table.Td>
    </Table.Tr>
  )
}

function Archive({ benefit }: { benefit: Benefit }) {
  /** The version that it was decided upon, while the dialog is open. */
  const [seen, setSeen] = useState<Benefit>()
  const queries = useQueryClient()
  const close = () => setSeen(undefined)
  const refresh = () =>
    Promise.all([['benefit', benefit.id], ['benefits']].map((queryKey) => queries.invalidateQueries({ queryKey })))
  const send = async (_values: object, signal: AbortSignal) => {
    try {
      await banyan.benefits.delete(benefit.id, { ifMatch: seen, signal })
    } catch (error) {
      if (error instanceof PreconditionFailedError) {
        await refresh()
        setSeen(queries.getQueryData(benefitQuery(benefit.id).queryKey))
      }
      throw error
    }
    notify('The benefit is archived.')
    close()
    await refresh()
  }
  const theirs = (
    <>
      {benefit.name}, {benefit.plans.map(planText).join('; ')}
    </>
  )
  return (
    <>
      <Button size="xs" variant="outline" color="red" onClick={() => setSeen(benefit)}>
        Archive
      </Button>
      <Dialog opened={seen !== undefined} close={close} title="Archive the benefit">
        <ProblemForm
          fields={[]}
          submit="Archive"
          isDangerous
          send={send}
          cancel={close}
          conflict={{ theirs, isPossible: benefit.status === 'ACTIVE' }}
        >
          <Text size="sm">
            Nobody can be enrolled in it any more. It stays while policies use it. This cannot be undone.
          </Text>
        </ProblemForm>
      </Dialog>
    </>
  )
}
