import type { Money as Amount, WalletWithLimits as Wallet } from '@banyan/client'
import { useQueryClient } from '@tanstack/react-query'
import { bookOnWallet, walletQuery } from '../../api/people.ts'
import { InputError } from '../../api/problem.ts'
import { Money } from '../../parts/money.tsx'
import { amountIn } from '../../parts/rupee-amount.ts'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'
import { HOW_TO_WRITE_RUPEES } from '../../parts/rupees.ts'

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
      amount: amountToBook(values),
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
      submit={(values) => [label, readAmount(values)?.format()].filter(Boolean).join(' ')}
      send={send}
      cancel={close}
      follows={(values) => <Arithmetic balance={wallet.balance} type={type} text={values['/amount'] ?? ''} />}
    />
  )
}

/** Returns what was typed as an amount; undefined for what is none, and for nothing. */
function readAmount(values: Values): Amount | undefined {
  const amount = amountIn(values['/amount'] ?? '')
  return amount && amount.paise > 0 ? amount : undefined
}

function amountToBook(values: Values): Amount {
  const amount = readAmount(values)
  if (amount) return amount
  const isNothing = amountIn(values['/amount'] ?? '') !== undefined
  throw new InputError('/amount', isNothing ? 'Write more than ₹0.00.' : HOW_TO_WRITE_RUPEES)
}

type ArithmeticSettings = { balance: Amount; type: BookingType; text: string }

/** The balance now, what was typed, and the balance that they make. */
function Arithmetic({ balance, type, text }: ArithmeticSettings) {
  const amount = readAmount({ '/amount': text })
  const after = amount && (type === 'CREDIT' ? balance.plus(amount) : balance.minus(amount))
  const lacks = after && after.paise < 0
  return (
    <>
      <dl className="sum">
        <dt>Balance now</dt>
        <dd>
          <Money amount={balance} />
        </dd>
        <dt>{type === 'CREDIT' ? 'Credit' : 'Debit'}</dt>
        <dd>{amount ? <Money amount={type === 'CREDIT' ? amount : amount.times(-1)} /> : '–'}</dd>
        <dt>Balance after</dt>
        <dd data-lacks={lacks || undefined}>{after ? <Money amount={after} /> : '–'}</dd>
      </dl>
      {lacks && <p className="lacks">The balance is {after.times(-1).format()} too low for this.</p>}
    </>
  )
}
