import {
  type InsurancePolicy,
  type InsurancePolicyEnd,
  PreconditionFailedError,
  type SetInsurancePolicyEndRequest,
} from '@banyan/client'
import { Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endQuery, type PolicyRef, policyStatusQuery, setEnd, withdrawEnd } from '../../api/policies.ts'
import { InputError } from '../../api/problem.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { dayField, dayIn } from '../../parts/day-field.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Money } from '../../parts/money.tsx'
import { notify } from '../../parts/notices.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Facts, Section } from '../../parts/page.tsx'
import { type Field, ProblemForm, typed } from '../../parts/problem-form.tsx'
import { amountIn } from '../../parts/rupee-amount.ts'
import { HOW_TO_WRITE_RUPEES } from '../../parts/rupees.ts'
import { ShortDepositOf } from '../../parts/short-deposits.tsx'
import { wordsOf } from '../../parts/state-badge.tsx'
import { dayText } from '../../parts/texts.ts'
import { Day, Time } from '../../parts/when.tsx'

type Code = SetInsurancePolicyEndRequest['code']
const CODES = ['CANCELLED', 'FREE_LOOK', 'LEFT', 'DEATH', 'UNPAID', 'OTHER'] as const satisfies readonly Code[]
type Values = Readonly<Record<string, string>>

const FIELDS: readonly Field[] = [
  dayField('/on', 'Last covered day', { isRequired: true }),
  { pointer: '/code', label: 'Why', choices: CODES.map((value) => ({ value, label: wordsOf(value) })) },
  {
    pointer: '/reason',
    label: 'Reason',
    hint: 'Kept in the timeline, which the partner and the person can read',
    isLong: true,
  },
]
const AMOUNT: Field = {
  pointer: '/amount',
  label: 'Paid back in ₹',
  hint: 'Your word; left empty, it stays open',
  isDecimal: true,
}

/** On which day a policy ends before its term, what is to be paid back, and how that is set, moved and taken back. */
export function End({ record, policy }: { record: InsurancePolicy; policy: PolicyRef }) {
  const query = useQuery(endQuery(policy))
  return (
    <Section title="End">
      <Loaded query={query} lines={2}>
        {(end) => (
          <>
            {end.on === null ? (
              <Text size="sm">The term ends on {dayText(record.end_date)}.</Text>
            ) : (
              <Shown end={end} />
            )}
            <Change end={end} policy={policy} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function Shown({ end }: { end: InsurancePolicyEnd }) {
  const { refund } = end
  return (
    <>
      <Facts
        facts={[
          ['Last covered day', <Day day={end.on} />],
          ['Why', wordsOf(end.code ?? '')],
          ['Reason', <span dir="auto">{end.reason ?? '–'}</span>],
          ['Set', end.set_at === null ? '–' : <Time at={end.set_at} />],
          ['Days not covered', refund?.days ?? '–'],
          ['Estimate of the refund', refund ? <Money amount={refund.estimate} /> : '–'],
          ['Paid back', refund?.amount ? <Money amount={refund.amount} /> : 'The insurer has not said'],
        ]}
      />
      <Text size="xs" c="dimmed">
        The estimate is before claims, tax and short-period scales.
      </Text>
    </>
  )
}

type Choice = { what: 'set' | 'withdraw'; seen: InsurancePolicyEnd }

function Change({ end, policy }: { end: InsurancePolicyEnd; policy: PolicyRef }) {
  const { role } = useSession()
  const [choice, setChoice] = useState<Choice>()
  const queries = useQueryClient()
  const { data: status } = useQuery(policyStatusQuery(policy))
  if (!may(role, 'setInsurancePolicyEnd')) return null
  const isSet = end.on !== null
  const isOver = status?.status === 'EXPIRED'
  const close = () => setChoice(undefined)

  const send = async (values: Values, signal: AbortSignal) => {
    if (!choice) return
    const { what, seen } = choice
    const options = { ifMatch: seen, signal }
    try {
      const changed = await (what === 'set' ? setEnd(policy, bodyOf(values), options) : withdrawEnd(policy, options))
      notify(changed.on === null ? 'The end was taken back.' : `The policy ends on ${dayText(changed.on)}.`)
      close()
    } catch (error) {
      // Who goes on decides upon what stands there now.
      if (error instanceof PreconditionFailedError)
        setChoice({ what, seen: await queries.fetchQuery({ ...endQuery(policy), staleTime: 0 }) })
      throw error
    } finally {
      await Promise.all(
        [['policy', policy.id], ['policies']].map((queryKey) => queries.invalidateQueries({ queryKey })),
      )
    }
  }

  const label = isSet ? 'Change the end' : 'Set an end'
  return (
    <>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={() => setChoice({ what: 'set', seen: end })}>
          {label}
        </Button>
        {isSet && !isOver && (
          <Button size="xs" variant="default" onClick={() => setChoice({ what: 'withdraw', seen: end })}>
            Take back
          </Button>
        )}
      </Group>
      <Dialog opened={choice !== undefined} close={close} title={choice?.what === 'set' ? label : 'Take back the end'}>
        {choice && (
          <ProblemForm
            fields={choice.what === 'set' ? [...FIELDS, ...(role === 'platform' ? [] : [AMOUNT])] : []}
            initial={choice.what === 'set' ? valuesOf(choice.seen) : {}}
            submit={choice.what === 'set' ? label : 'Take back'}
            isDangerous={choice.what === 'set'}
            send={send}
            cancel={close}
            remedy={(error) => <ShortDepositOf policy={policy} error={error} />}
            conflict={{ theirs: end.on === null ? 'No end is set.' : `It ends on ${dayText(end.on)}.` }}
          >
            <Text size="sm">
              {choice.what === 'set'
                ? 'Until that day the policy stays as it is, without renewal and grace; then it ends by itself. A day that is over ends it at once.'
                : 'The policy has its term again, with its renewal window and grace.'}
            </Text>
          </ProblemForm>
        )}
      </Dialog>
    </>
  )
}

const valuesOf = ({ on, code, reason }: InsurancePolicyEnd): Values => ({
  '/on': on ?? '',
  '/code': code ?? 'CANCELLED',
  '/reason': reason ?? '',
})

function bodyOf(values: Values): SetInsurancePolicyEndRequest {
  const text = typed(values, '/amount')
  const amount = text === undefined ? undefined : amountIn(text)
  if (text !== undefined && !amount) throw new InputError('/amount', HOW_TO_WRITE_RUPEES)
  return {
    on: dayIn(typed(values, '/on') ?? '', '/on'),
    code: CODES.find((code) => code === values['/code']) ?? 'OTHER',
    reason: typed(values, '/reason'),
    amount,
  }
}
