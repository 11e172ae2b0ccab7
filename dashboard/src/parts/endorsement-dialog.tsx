import type { Endorsement, EndorsementId } from '@banyan/client'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ENDORSEMENT_TRANSITIONS, type EndorsementTransition } from '../api/endorsement-transitions.ts'
import { decideEndorsement, endorsementQuery } from '../api/endorsements.ts'
import { InputError } from '../api/problem.ts'
import { useSession } from '../api/session.ts'
import { transitionsOut } from '../api/transitions.ts'
import { dayField, dayIn } from './day-field.ts'
import { Dialog } from './dialog.tsx'
import { EndorsementState, EndorsementText, type NameOf, placeOfEndorsement } from './endorsement-columns.tsx'
import { Id } from './id.tsx'
import { lifeEventText } from './life-events.ts'
import type { Column } from './list-page.tsx'
import { Money } from './money.tsx'
import { notify } from './notices.tsx'
import { Loaded } from './outcomes.tsx'
import { Facts } from './page.tsx'
import { PersonId } from './person-id.tsx'
import { type Field, ProblemForm, typed } from './problem-form.tsx'
import { amountIn } from './rupee-amount.ts'
import { HOW_TO_WRITE_RUPEES } from './rupees.ts'
import { ShortDepositOf } from './short-deposits.tsx'
import { StateBadge, stateText } from './state-badge.tsx'
import { dayText, today } from './texts.ts'
import { Ago, Day } from './when.tsx'

type Row = Pick<
  Endorsement,
  'id' | 'state' | 'kind' | 'person_id' | 'user_id' | 'on' | 'due_on' | 'insurance_policy_id'
>

/** One endorsement, looked at or, with a transition, decided. */
type Chosen = { id: EndorsementId; transition?: EndorsementTransition }

/** A correction and a nominee hold already, nobody is kept on a policy, and one that has ended does not go on. */
const isPossible = ({ kind, on }: Row, to: EndorsementTransition['to']): boolean =>
  (to !== 'WITHDRAWN' || kind === 'JOIN' || kind === 'LEAVE' || (kind === 'END' && on >= today())) &&
  (to !== 'REFUSED' || (kind !== 'LEAVE' && kind !== 'END'))

/** The last column of a list of endorsements with what can be done with each, and the dialog of it. `nameOf`: where names are shown. */
export function useEndorsementDialog(nameOf?: NameOf): { column: Column<Row>; dialog: React.ReactNode } {
  const { role } = useSession()
  const [chosen, choose] = useState<Chosen>()
  const close = () => choose(undefined)
  const transitionsOf = (row: Row) =>
    (transitionsOut(ENDORSEMENT_TRANSITIONS, row.state, role) as readonly EndorsementTransition[]).filter(({ to }) =>
      isPossible(row, to),
    )
  const column: Column<Row> = {
    title: 'Decision',
    cell: (row) => (
      <Group gap={4} wrap="nowrap">
        {transitionsOf(row).map((transition) => (
          <Button
            key={transition.to}
            size="compact-xs"
            variant={transition.isDangerous ? 'outline' : 'default'}
            {...(transition.isDangerous && { color: 'red' })}
            onClick={() => choose({ id: row.id, transition })}
          >
            {transition.label}
          </Button>
        ))}
        {transitionsOf(row).length === 0 && (
          <Button size="compact-xs" variant="subtle" onClick={() => choose({ id: row.id })}>
            Details
          </Button>
        )}
      </Group>
    ),
  }
  const dialog = (
    <Dialog
      opened={chosen !== undefined}
      close={close}
      title={chosen?.transition ? `${chosen.transition.label} the endorsement` : 'Endorsement'}
      size="lg"
    >
      {chosen && <Opened key={chosen.id} {...chosen} nameOf={nameOf} close={close} />}
    </Dialog>
  )
  return { column, dialog }
}

function Opened({ id, transition, nameOf, close }: Chosen & { nameOf: NameOf | undefined; close: () => void }) {
  const query = useQuery(endorsementQuery(id))
  return (
    <Loaded query={query} lines={4}>
      {(endorsement) => (
        <Stack gap="md">
          <About endorsement={endorsement} nameOf={nameOf} />
          {transition && <Decision endorsement={endorsement} transition={transition} close={close} />}
        </Stack>
      )}
    </Loaded>
  )
}

/** What the day of an endorsement is. */
const DAY_NAMES: Readonly<Record<string, string>> = {
  JOIN: 'First covered day',
  LEAVE: 'Last covered day',
  END: 'Last covered day',
}

/** The kinds whose amount goes back to the sponsor. */
const PAID_BACK: readonly string[] = ['LEAVE', 'END']

type Fact = readonly [string, React.ReactNode]

function About({ endorsement, nameOf }: { endorsement: Endorsement; nameOf: NameOf | undefined }) {
  const { user_id, insurance_policy_id, kind, on, due_on, state } = endorsement
  return (
    <Facts
      facts={[
        ['What changes', <EndorsementText row={endorsement} nameOf={nameOf} />],
        ['State', <EndorsementState row={endorsement} />],
        ['Person', <PersonId id={user_id} tab="policies" />],
        ['Policy', <Id id={insurance_policy_id} to={placeOfEndorsement(endorsement)} />],
        [DAY_NAMES[kind] ?? 'Holds from', <Day day={on} />],
        ['Due', <Day day={due_on} isDue={state === 'REQUESTED'} />],
        ...whyOf(endorsement),
        ...refundOf(endorsement),
        ...(state === 'REQUESTED' ? [] : decisionOf(endorsement)),
      ]}
    />
  )
}

function whyOf({ event, event_on }: Endorsement): readonly Fact[] {
  if (event === null) return []
  return [['Why', event_on === null ? lifeEventText(event) : `${lifeEventText(event)}, ${dayText(event_on)}`]]
}

function refundOf({ refund }: Endorsement): readonly Fact[] {
  if (refund === null) return []
  return [
    ['Days not covered', refund.days],
    ['Estimate of the refund', <Money amount={refund.estimate} />],
  ]
}

function decisionOf({
  last_modified_at,
  kind,
  issue,
  provider_reference,
  amount,
  reason,
}: Endorsement): readonly Fact[] {
  return [
    ['Decided', <Ago at={last_modified_at} />],
    ['Issue', issue ?? '–'],
    ['Insurer’s reference', provider_reference ?? '–'],
    [PAID_BACK.includes(kind) ? 'Paid back' : 'Amount', amount === null ? '–' : <Money amount={amount} />],
    ['Reason', reason === null ? '–' : <span className="lines">{reason}</span>],
  ]
}

const REFERENCE: Field = { pointer: '/provider_reference', label: 'Your reference', hint: 'Your own number of it' }
const AMOUNT: Field = {
  pointer: '/amount',
  label: 'Amount in ₹',
  hint: 'No premium changes; a plan with a deposit takes it from there, or gives it back. Such as 1,250 or 499.50',
  isDecimal: true,
}

function fieldsOf({ to, needsReason }: EndorsementTransition, { kind, on }: Endorsement): readonly Field[] {
  const reason: Field = {
    pointer: '/reason',
    label: 'Reason',
    hint: 'Kept in the history, which the partner and the person can read',
    isLong: true,
    isRequired: needsReason === true,
  }
  if (to === 'WITHDRAWN') return []
  if (needsReason) return [reason, REFERENCE]
  const amount = { ...AMOUNT, label: PAID_BACK.includes(kind) ? 'You pay back, in ₹' : 'You charge, in ₹' }
  const day = DAY_NAMES[kind]
  const other =
    day === undefined
      ? []
      : [dayField('/on', day, { hint: `Asked for: ${dayText(on)}. Change it to accept another day` })]
  return [...other, REFERENCE, amount, reason]
}

type DecisionSettings = { endorsement: Endorsement; transition: EndorsementTransition; close: () => void }

/** Decides upon what the dialog showed; what somebody else has decided meanwhile stays. */
function Decision({ endorsement, transition, close }: DecisionSettings) {
  const queries = useQueryClient()
  const [seen, see] = useState(endorsement)
  const { id, insurance_policy_id: policyId } = endorsement
  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const amount = amountOf(values)
    const day = typed(values, '/on')
    const body = {
      state: transition.to,
      ...(day !== undefined && day !== seen.on && { on: dayIn(day, '/on') }),
      ...(amount && { amount }),
      provider_reference: typed(values, '/provider_reference'),
      reason: typed(values, '/reason'),
    }
    try {
      const decided = await decideEndorsement(seen, body, { signal })
      notify(`The endorsement is now: ${stateText(decided.state)}.`)
    } catch (error) {
      see(await queries.fetchQuery({ ...endorsementQuery(id), staleTime: 0 }))
      throw error
    }
    close()
    await Promise.all(
      [['endorsements'], ['policies'], ['policy', policyId], ['members', policyId]].map((queryKey) =>
        queries.invalidateQueries({ queryKey }),
      ),
    )
  }
  return (
    <ProblemForm
      fields={fieldsOf(transition, endorsement)}
      initial={{ '/on': endorsement.on }}
      submit={transition.label}
      isDangerous={transition.isDangerous}
      send={send}
      cancel={close}
      remedy={(error) => <ShortDepositOf policy={{ userId: endorsement.user_id, id: policyId }} error={error} />}
      conflict={{
        theirs: (
          <>
            <StateBadge state={seen.state} /> <Ago at={seen.last_modified_at} />
          </>
        ),
        isPossible: seen.state === 'REQUESTED',
      }}
    >
      <Text size="sm">{transition.effect}</Text>
    </ProblemForm>
  )
}

/** Returns what was typed as an amount; undefined when nothing was. */
function amountOf(values: Readonly<Record<string, string>>) {
  const text = typed(values, '/amount')
  if (text === undefined) return undefined
  const amount = amountIn(text)
  if (!amount) throw new InputError('/amount', HOW_TO_WRITE_RUPEES)
  return amount
}
