import type { Money as Amount, WalletWithLimits as Wallet } from '@banyan/client'
import { useQueryClient } from '@tanstack/react-query'
import { bookOnWallet, walletQuery } from '../../api/people.ts'
import { BalanceAfter } from '../../parts/balance-after.tsx'
import { amountAboveZeroIn, readAmountAboveZero } from '../../parts/rupee-amount.ts'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'

const FIELDS = [
  {
    pointer: '/amount',
    label: 'Amount in ₹',
    hint: 'Such as 500, 1,250 or 499.50',
    isRequired: true,
    isDecimal: true,
  },
  {
    pointer: '/refund_of',
    label: 'Gives back',
    hint: 'Id of the booking that this one gives back, in whole or in part. Refunds count in no limit.',
  },
  {
    pointer: '/reference',
    label: 'Reference',
    hint: 'Your number of the booking. The same one is never booked twice.',
    isRequired: true,
  },
  { pointer: '/description', label: 'Purpose', hint: 'The person reads it' },
] as const

type Values = Readonly<Record<string, string>>
export type BookingType = 'CREDIT' | 'DEBIT'
type BookingSettings = { wallet: Wallet; type: BookingType; close: () => void }

/** Books money on a wallet, or off it. The amount is shown as it was read, with the balance after it, before it is booked. */
export function Booking({ wallet, type, close }: BookingSettings) {
  const { user_id: id } = wallet
  const queries = useQueryClient()
  const { queryKey } = walletQuery(id)
  const label = type === 'CREDIT' ? 'Credit' : 'Debit'

  const send = async (values: Values, signal: AbortSignal) => {
    const wanted = {
      type,
      amount: readAmountAboveZero(values['/amount'], '/amount'),
      reference: typed(values, '/reference') ?? '',
      description: typed(values, '/description'),
      refund_of: typed(values, '/refund_of'),
    }
    const booking = bookOnWallet(id, wanted, { signal })
    // The balance can be another one than the dialog knows.
    const booked = await booking.catch(async (error: Error) => {
      await queries.invalidateQueries({ queryKey })
      throw error
    })
    queries.setQueryData(queryKey, (now: Wallet | undefined) => now && { ...now, balance: booked.balance_after })
    if (wallet.limits) await queries.invalidateQueries({ queryKey })
    await queries.invalidateQueries({ queryKey: ['person', id, 'ledger'] })
    notify(`${booked.amount.format()} ${label.toLowerCase()}ed. The balance is ${booked.balance_after.format()}.`)
    close()
  }

  return (
    <ProblemForm
      fields={FIELDS}
      submit={(values) => [label, amountAboveZeroIn(values['/amount'])?.format()].filter(Boolean).join(' ')}
      send={send}
      cancel={close}
      follows={(values) => <Arithmetic balance={wallet.balance} type={type} text={values['/amount'] ?? ''} />}
    />
  )
}

type ArithmeticSettings = { balance: Amount; type: BookingType; text: string }

function Arithmetic({ balance, type, text }: ArithmeticSettings) {
  const amount = amountAboveZeroIn(text)
  return (
    <BalanceAfter
      balance={balance}
      label={type === 'CREDIT' ? 'Credit' : 'Debit'}
      change={type === 'CREDIT' ? amount : amount?.times(-1)}
      belowZero={(lacking) => `The balance is ${lacking.format()} too low for this.`}
    />
  )
}
