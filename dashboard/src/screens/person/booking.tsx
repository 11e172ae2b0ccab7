import { Money as Amount, type Wallet } from '@banyan/client'
import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { bookOnWallet, walletQuery } from '../../api/people.ts'
import { InputError } from '../../api/problem.ts'
import { Money } from '../../parts/money.tsx'
import { notify } from '../../parts/notices.tsx'
import { ProblemForm, typed } from '../../parts/problem-form.tsx'

const FIELDS = [
  { pointer: '/amount', label: 'Amount in ₹', hint: 'Such as 500 or 499.50', isRequired: true },
  {
    pointer: '/reference',
    label: 'Reference',
    hint: 'Your number of the booking. The same one is never booked twice.',
    isRequired: true,
  },
  { pointer: '/description', label: 'Purpose', hint: 'The person reads it' },
] as const

type BookingSettings = { wallet: Wallet; type: 'CREDIT' | 'DEBIT'; close: () => void }

/** Books money on a wallet, or off it. The amount is shown once the service has booked it, never before. */
export function Booking({ wallet, type, close }: BookingSettings) {
  const { user_id: id } = wallet
  const queries = useQueryClient()

  const send = async (values: Readonly<Record<string, string>>) => {
    const booked = await bookOnWallet(id, {
      type,
      amount: amountIn(values['/amount'] ?? ''),
      reference: typed(values, '/reference') ?? '',
      description: typed(values, '/description'),
    })
    queries.setQueryData(
      walletQuery(id).queryKey,
      (now: Wallet | undefined) => now && { ...now, balance: booked.balance_after },
    )
    await queries.invalidateQueries({ queryKey: ['person', id, 'ledger'] })
    notify(`${booked.amount.format()} ${type === 'CREDIT' ? 'credited' : 'debited'}.`)
    close()
  }

  return (
    <ProblemForm fields={FIELDS} submit={type === 'CREDIT' ? 'Credit' : 'Debit'} send={send} cancel={close}>
      <Text size="sm">
        The balance is <Money amount={wallet.balance} />.
      </Text>
    </ProblemForm>
  )
}

/** Takes what people write: `₹ 1,250.50`. */
function amountIn(text: string): Amount {
  try {
    return Amount.rupees(text.replaceAll(/[₹,\s]/g, ''))
  } catch {
    throw new InputError('/amount', 'Write an amount in rupees, with two decimals at most.')
  }
}
