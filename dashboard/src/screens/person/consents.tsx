import type { Consent } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { consentsQuery } from '../../api/consents.ts'
import { csvOf } from '../../api/csv.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { wordsOf } from '../../parts/state-badge.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'
import { type Looker, Sealed } from './sealed.tsx'

const PURPOSES: Readonly<Record<string, string>> = {
  insurance: 'Insurance',
  children: 'Children',
  care: 'Care',
  wallet: 'Wallet',
  accounts: 'Accounts',
}
const GIVERS: Readonly<Record<string, string>> = { SELF: 'The person', PARENT: 'A parent', GUARDIAN: 'A guardian' }

/** Why a consent counts no longer, and since when. */
function Until({ consent: { withdrawn_at: withdrawnAt, ended_at: endedAt } }: { consent: Consent }) {
  const at = withdrawnAt ?? endedAt
  if (at === null) return <span className="quiet">–</span>
  return (
    <>
      {withdrawnAt === null ? 'Ended at 18,' : 'Withdrawn'} <Time at={at} />
    </>
  )
}

const COLUMNS: readonly Column<Consent>[] = [
  { title: 'Purpose', cell: ({ purpose }) => PURPOSES[purpose] ?? purpose },
  { title: 'About', cell: ({ dependant_id: id }) => (id === null ? 'The person' : <Id id={id} />) },
  { title: 'Given by', cell: ({ given_by }) => GIVERS[given_by] ?? given_by },
  { title: 'Verified by', isExtra: true, cell: ({ verified_by }) => verified_by && wordsOf(verified_by) },
  { title: 'Basis', isExtra: true, cell: ({ basis }) => wordsOf(basis) },
  { title: 'Notice', isExtra: true, cell: ({ notice_version, language }) => `${notice_version}, ${language}` },
  { title: 'Given', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Until', cell: (consent) => <Until consent={consent} /> },
  { title: 'Proof', isExtra: true, cell: ({ proof }) => <span dir="auto">{proof}</span> },
]

/** What a person has agreed to, and what was withdrawn. */
export function Consents(looker: Looker) {
  return (
    <Sealed looker={looker} what="consents">
      {(purpose) => <Opened {...looker} purpose={purpose} />}
    </Sealed>
  )
}

function Opened({ id, purpose }: Looker & { purpose: string }) {
  const [{ after }] = useUrlState()
  const query = useQuery(consentsQuery(id, { purpose, after: textIn(after) }))
  return (
    <CursorList
      label="Consents of this person"
      csv={() => csvOf.ofPerson.consents(id, { purpose })}
      query={query}
      columns={COLUMNS}
      idOf={(consent) => consent.id}
      nameOf={(consent) => `consent ${consent.id}`}
      empty={<Empty title="No consents">The partner’s app records them when the person agrees to a notice.</Empty>}
    />
  )
}
