import type { Money as Amount, UserId, WalletTransaction } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { ledgerQuery } from '../../api/people.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Money } from '../../parts/money.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { DayRange, daysIn } from '../../parts/day-range.tsx'
import { FROM_START, textIn, type UrlState } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'

const signed = ({ transaction_type, amount }: WalletTransaction): Amount =>
  transaction_type === 'DEBIT' ? amount.times(-1) : amount

/** A column for each member; the sign of the amount shows the type. */
const COLUMN_OF: Record<Exclude<keyof WalletTransaction, 'transaction_type'>, Column<WalletTransaction>> = {
  id: { title: 'Booking', isExtra: 'wide', cell: ({ id }) => <Id id={id} /> },
  created_at: { title: 'Booked', cell: ({ created_at }) => <Time at={created_at} /> },
  reference: { title: 'Reference', isExtra: true, cell: ({ reference }) => reference },
  description: {
    title: 'Purpose',
    isExtra: true,
    cell: ({ description }) => <span dir="auto">{description ?? '–'}</span>,
  },
  refund_of: {
    title: 'Gives back',
    isExtra: true,
    cell: ({ refund_of: id }) => (id ? <Id id={id} /> : '–'),
  },
  amount: { title: 'Amount', isNumber: true, cell: (booking) => <Money amount={signed(booking)} /> },
  balance_after: {
    title: 'Balance after',
    isNumber: true,
    cell: ({ balance_after }) => <Money amount={balance_after} />,
  },
}
const COLUMNS = Object.values(COLUMN_OF)

/** Every booking, the newest first. */
export function Ledger({ id, purpose }: { id: UserId; purpose: string }) {
  const [state, setState] = useUrlState()
  const days = daysIn(state)
  const query = useQuery(ledgerQuery(id, { purpose, after: textIn(state['after']), days }))
  const change = (patch: UrlState) => setState({ ...patch, ...FROM_START })
  return (
    <>
      <DayRange days={days} change={change} />
      <CursorList
        label="Ledger"
        csv={() => csvOf.ofPerson.ledger(id, days, { purpose })}
        query={query}
        columns={COLUMNS}
        idOf={(booking) => booking.id}
        nameOf={(booking) => `booking ${booking.id}`}
        empty={<Empty title="Nothing was booked here">A credit adds money. Other days may have bookings.</Empty>}
      />
    </>
  )
}
