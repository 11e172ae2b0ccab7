import { type DepositEntry, NotFoundError, type UnknownValue } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { depositEntriesQuery, type DepositRef } from '../../api/deposits.ts'
import { DayRange, daysIn } from '../../parts/day-range.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Money } from '../../parts/money.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { places } from '../../parts/places.ts'
import { wordsOf } from '../../parts/state-badge.tsx'
import { FROM_START, textIn, type UrlState } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Day, Time } from '../../parts/when.tsx'

type Row = DepositEntry

/** What an entry is: of an endorsement and an end, by what it takes or gives back. */
const KINDS: Readonly<Record<string, readonly [taken: string, given: string]>> = {
  TOP_UP: ['Payment', 'Payment'],
  REVERSAL: ['Reversal', 'Reversal'],
  PREMIUM: ['Premium of a policy', 'Premium of a policy'],
  ENDORSEMENT: ['Charged for an endorsement', 'Given back for an endorsement'],
  END: ['Taken again: the end was changed', 'Given back for an end'],
} satisfies Record<Exclude<Row['kind'], UnknownValue>, readonly [string, string]>

const kindText = ({ kind, amount }: Row): string => KINDS[kind]?.[amount.paise < 0 ? 0 : 1] ?? wordsOf(kind)

/** Who was erased is named no more, and has no page. */
function placeOf({ user_id: user, insurance_policy_id: policy, endorsement_id: endorsement }: Row): string | undefined {
  if (user === null || policy === null) return undefined
  return endorsement === null ? places.policy(user, policy) : places.endorsement(user, policy, endorsement)
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'What', cell: kindText },
  { title: 'Day', cell: ({ on }) => <Day day={on} /> },
  { title: 'Reference', cell: ({ reference }) => <span className="breaks">{reference ?? '–'}</span> },
  {
    title: 'Policy',
    cell: (row) =>
      row.insurance_policy_id === null ? (
        <span className="quiet">–</span>
      ) : (
        <Id id={row.insurance_policy_id} to={placeOf(row)} />
      ),
  },
  { title: 'Entered', isExtra: 'wide', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} /> },
]

/** Every entry, the newest first; their sum is the balance. */
export function Entries({ at }: { at: DepositRef }) {
  const [state, setState] = useUrlState()
  const days = daysIn(state)
  const query = useQuery(depositEntriesQuery(at, days, textIn(state['after'])))
  const isAll = days.from === undefined && days.to === undefined
  if (query.error instanceof NotFoundError)
    return (
      <Empty title="No deposit of these two">
        No benefit of this sponsor is delivered by this benefit provider. Check the address.
      </Empty>
    )
  return (
    <>
      <DayRange days={days} change={(patch: UrlState) => setState({ ...patch, ...FROM_START })} />
      <CursorList
        label="Entries"
        csv={() => csvOf.depositEntries(at, days)}
        query={query}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={({ id }) => `entry ${id}`}
        to={placeOf}
        empty={
          isAll ? (
            <Empty title="Nothing was entered yet">
              A payment adds money. Policies whose plan takes its premium from the deposit are not issued before.
            </Empty>
          ) : (
            <Empty title="Nothing was entered on these days">Choose other days.</Empty>
          )
        }
      />
    </>
  )
}
