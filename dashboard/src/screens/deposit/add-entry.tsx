import { type AddDepositEntryRequest, type Money as Amount, ResponseError } from '@banyan/client'
import { Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addDepositEntry, type DepositRef, depositsQuery } from '../../api/deposits.ts'
import { InputError } from '../../api/problem.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { BalanceAfter } from '../../parts/balance-after.tsx'
import { dayField, dayIn } from '../../parts/day-field.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notices.tsx'
import { type Field, ProblemForm, typed, type Values } from '../../parts/problem-form.tsx'
import { amountAboveZeroIn, readAmountAboveZero } from '../../parts/rupee-amount.ts'
import { timeText, today } from '../../parts/texts.ts'

type Kind = AddDepositEntryRequest['kind']

const WORDS = {
  TOP_UP: {
    title: 'Enter a payment',
    noun: 'Payment',
    day: 'Received on',
    effect:
      'Says that the benefit provider has received it. It counts from that day on, and no cover that it pays for begins earlier.',
  },
  REVERSAL: {
    title: 'Enter a reversal',
    noun: 'Reversal',
    day: 'Taken back on',
    effect: 'Says that money is gone again, as of a cheque that was returned. No policy ends by it.',
  },
} as const satisfies Record<Kind, object>

/** Where the service’s errors of an amount stand. */
const AMOUNT = '/amount/value'

const fieldsOf = (kind: Kind): readonly Field[] => [
  { pointer: AMOUNT, label: 'Amount in ₹', hint: 'Such as 5,00,000 or 12,045.50', isRequired: true, isDecimal: true },
  dayField('/paid_on', WORDS[kind].day, { isRequired: true }),
  {
    pointer: '/reference',
    label: 'Reference',
    hint: 'The bank’s number of it. The same one is never entered twice.',
    isRequired: true,
  },
]

type Settings = { at: DepositRef; balance: Amount }

/** What was paid in, and what was taken back, for those who know it. */
export function AddEntry({ at, balance }: Settings) {
  const { role } = useSession()
  const [kind, setKind] = useState<Kind>()
  if (!may(role, 'addDepositEntry')) return null
  const close = () => setKind(undefined)
  return (
    <Group gap="xs">
      <Button size="xs" onClick={() => setKind('TOP_UP')}>
        {WORDS.TOP_UP.title}
      </Button>
      <Button size="xs" variant="default" onClick={() => setKind('REVERSAL')}>
        {WORDS.REVERSAL.title}
      </Button>
      <Dialog opened={kind !== undefined} close={close} title={kind && WORDS[kind].title}>
        {kind && <Entry at={at} balance={balance} kind={kind} close={close} />}
      </Dialog>
    </Group>
  )
}

type EntrySettings = Settings & { kind: Kind; close: () => void }

function Entry({ at, balance, kind, close }: EntrySettings) {
  const queries = useQueryClient()
  const { noun, effect } = WORDS[kind]
  const [initial] = useState({ '/paid_on': today() })
  const isPayment = kind === 'TOP_UP'
  const refresh = () => queries.invalidateQueries({ queryKey: depositsQuery(at.sponsorId).queryKey })
  const send = async (values: Values, signal: AbortSignal) => {
    const amount = readAmountAboveZero(values[AMOUNT], AMOUNT)
    const paid_on = dayIn(typed(values, '/paid_on') ?? '', '/paid_on')
    const reference = typed(values, '/reference') ?? ''
    const sent = addDepositEntry(at, { kind, amount, paid_on, reference }, { signal })
    const { entry, isNew } = await sent.catch(async (error: Error) => {
      await refresh()
      throw isOtherEntry(error) ? new InputError('/reference', OTHER_ENTRY) : error
    })
    await refresh()
    // Said, because who enters a second payment by the reference of the first one would believe that it counts.
    if (!isNew) throw new InputError('/reference', alreadyEntered(entry.created_at))
    notify(`${noun} of ${amount.format()} entered.`)
    close()
  }
  return (
    <ProblemForm
      fields={fieldsOf(kind)}
      initial={initial}
      submit={(values) => ['Enter', amountAboveZeroIn(values[AMOUNT])?.format()].filter(Boolean).join(' ')}
      send={send}
      cancel={close}
      follows={(values) => {
        const amount = amountAboveZeroIn(values[AMOUNT])
        return (
          <BalanceAfter
            balance={balance}
            label={noun}
            change={isPayment ? amount : amount?.times(-1)}
            belowZero={(lacking) => `The deposit lacks ${lacking.format()} then: nothing is issued or renewed from it.`}
          />
        )
      }}
    >
      <Text size="sm">{effect}</Text>
    </ProblemForm>
  )
}

const OTHER_ENTRY = 'Another entry has this reference, with another amount, day or kind. Nothing was entered.'

const isOtherEntry = (error: Error): boolean =>
  error instanceof ResponseError && error.problem.reason === 'different_content'

const alreadyEntered = (at: Date): string =>
  `This was entered already on ${timeText(at)}: the same amount, day and reference. Nothing was entered again.`
