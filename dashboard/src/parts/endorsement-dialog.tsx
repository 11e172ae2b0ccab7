import type { Endorsement, EndorsementId } from '@banyan/client'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ENDORSEMENT_TRANSITIONS, type EndorsementTransition } from '../api/endorsement-transitions.ts'
import { decideEndorsement, endorsementQuery } from '../api/endorsements.ts'
import { InputError } from '../api/problem.ts'
import { useSession } from '../api/session.ts'
import { transitionsOut } from '../api/transitions.ts'
import { Dialog } from './dialog.tsx'
import { endorsementText, EndorsementState, placeOfEndorsement } from './endorsement-columns.tsx'
import { Id } from './id.tsx'
import type { Column } from './list-page.tsx'
import { Money } from './money.tsx'
import { notify } from './notices.tsx'
import { Loaded } from './outcomes.tsx'
import { Facts } from './page.tsx'
import { PersonId } from './person-id.tsx'
import { type Field, ProblemForm, typed } from './problem-form.tsx'
import { amountIn } from './rupee-amount.ts'
import { HOW_TO_WRITE_RUPEES } from './rupees.ts'
import { StateBadge, stateText } from './state-badge.tsx'
import { Ago, Day } from './when.tsx'

type Row = Pick<Endorsement, 'id' | 'state' | 'kind' | 'person_id' | 'user_id' | 'due_on' | 'insurance_policy_id'>

/** One endorsement, looked at or, with a transition, decided. */
type Chosen = { id: EndorsementId; transition?: EndorsementTransition }

/** A correction and a nominee hold already, and nobody is kept on a policy. */
const isPossible = (kind: Row['kind'], to: EndorsementTransition['to']): boolean =>
  (to !== 'WITHDRAWN' || kind === 'JOIN' || kind === 'LEAVE') &&
  (to !== 'REFUSED' || (kind !== 'LEAVE' && kind !== 'END'))

/** The last column of a list of endorsements with what can be done with each, and the dialog of it. */
export function useEndorsementDialog(): { column: Column<Row>; dialog: React.ReactNode } {
  const { role } = useSession()
  const [chosen, choose] = useState<Chosen>()
  const close = () => choose(undefined)
  const transitionsOf = ({ state, kind }: Row) =>
    (transitionsOut(ENDORSEMENT_TRANSITIONS, state, role) as readonly EndorsementTransition[]).filter(({ to }) =>
      isPossible(kind, to),
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
      {chosen && <Opened key={chosen.id} {...chosen} close={close} />}
    </Dialog>
  )
  return { column, dialog }
}

function Opened({ id, transition, close }: Chosen & { close: () => void }) {
  const query = useQuery(endorsementQuery(id))
  return (
    <Loaded query={query} lines={4}>
      {(endorsement) => (
        <Stack gap="md">
          <About endorsement={endorsement} />
          {transition && <Decision endorsement={endorsement} transition={transition} close={close} />}
        </Stack>
      )}
    </Loaded>
  )
}

function About({ endorsement }: { endorsement: Endorsement }) {
  const { user_id, insurance_policy_id, on, due_on, state, issue, provider_reference, amount, reason } = endorsement
  const decided: readonly (readonly [string, React.ReactNode])[] =
    state === 'REQUESTED'
      ? []
      : [
          ['Decided', <Ago at={endorsement.last_modified_at} />],
          ['Issue', issue ?? '–'],
          ['Insurer’s reference', provider_reference ?? '–'],
          ['Amount', amount === null ? '–' : <Money amount={amount} />],
          ['Reason', reason === null ? '–' : <span className="lines">{reason}</span>],
        ]
  return (
    <Facts
      facts={[
        ['What changes', endorsementText(endorsement)],
        ['State', <EndorsementState row={endorsement} />],
        ['Person', <PersonId id={user_id} tab="policies" />],
        ['Policy', <Id id={insurance_policy_id} to={placeOfEndorsement(endorsement)} />],
        ['Holds from', <Day day={on} />],
        ['Due', <Day day={due_on} isDue={state === 'REQUESTED'} />],
        ...decided,
      ]}
    />
  )
}

const REFERENCE: Field = { pointer: '/provider_reference', label: 'Your reference', hint: 'Your own number of it' }
const AMOUNT: Field = {
  pointer: '/amount',
  label: 'Amount in ₹',
  hint: 'For information: no premium changes. Such as 1,250 or 499.50',
  isDecimal: true,
}
/** The kinds whose amount goes back to the sponsor. */
const PAID_BACK: readonly string[] = ['LEAVE', 'END']

function fieldsOf({ needsReason }: EndorsementTransition, { kind }: Endorsement): readonly Field[] {
  const reason: Field = {
    pointer: '/reason',
    label: 'Reason',
    hint: 'Kept in the history, which the partner and the person can read',
    isLong: true,
    isRequired: needsReason === true,
  }
  const amount = { ...AMOUNT, label: PAID_BACK.includes(kind) ? 'You pay back, in ₹' : 'You charge, in ₹' }
  return needsReason ? [reason, REFERENCE] : [REFERENCE, amount, reason]
}

type DecisionSettings = { endorsement: Endorsement; transition: EndorsementTransition; close: () => void }

/** Decides upon what the dialog showed; what somebody else has decided meanwhile stays. */
function Decision({ endorsement, transition, close }: DecisionSettings) {
  const queries = useQueryClient()
  const [seen, see] = useState(endorsement)
  const { id, insurance_policy_id: policyId } = endorsement
  const send = async (values: Readonly<Record<string, string>>, signal: AbortSignal) => {
    const amount = amountOf(values)
    const body = {
      state: transition.to,
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
      [['endorsements'], ['policies'], ['policy', policyId]].map((queryKey) => queries.invalidateQueries({ queryKey })),
    )
  }
  return (
    <ProblemForm
      fields={fieldsOf(transition, endorsement)}
      submit={transition.label}
      isDangerous={transition.isDangerous}
      send={send}
      cancel={close}
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
