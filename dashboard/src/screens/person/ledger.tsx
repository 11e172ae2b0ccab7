import type { Money as Amount, UserId, WalletTransaction } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { ledgerQuery } from '../../api/people.ts'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Money } from '../../parts/money.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'

const signed = ({ transaction_type, amount }: WalletTransaction): Amount =>
  transaction_type === 'DEBIT' ? amount.times(-1) : amount

const COLUMNS: readonly Column<WalletTransaction>[] = [
  { title: 'Booked', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Reference', isExtra: true, cell: ({ reference }) => reference },
  { title: 'Purpose', isExtra: true, cell: ({ description }) => <span dir="auto">{description ?? '–'}</span> },
  { title: 'Amount', isNumber: true, cell: (booking) => <Money amount={signed(booking)} /> },
  { title: 'Balance after', isNumber: true, cell: ({ balance_after }) => <Money amount={balance_after} /> },
]

/** Every booking, the newest first. */
export function Ledger({ id, purpose }: { id: UserId; purpose: string }) {
  const [{ after }] = useUrlState()
  const query = useQuery(ledgerQuery(id, { purpose, after: textIn(after) }))
  return (
    <CursorList
      label="Ledger"
      query={query}
      columns={COLUMNS}
      idOf={(booking) => booking.id}
      nameOf={(booking) => `booking ${booking.id}`}
      empty={<Empty title="Nothing was booked yet">A credit adds money.</Empty>}
    />
  )
}
