import type { Account, UserId } from '@banyan/client'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { banyan } from '../../api/banyan.ts'
import { accountStatusQuery, personAccountsQuery } from '../../api/people.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { accountTypeText } from '../../parts/account-type.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { StatusChange } from '../../parts/status-change.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'
import type { Looker } from './sealed.tsx'

const TRANSITIONS = [
  { to: 'ACTIVE', label: 'Activate', effect: 'It can be used again.' },
  {
    to: 'INACTIVE',
    label: 'Deactivate',
    effect: 'It is used no more. One that the bank has opened can be activated again; one that was pending cannot.',
    isDangerous: true,
  },
] as const

export function Accounts({ id }: Looker) {
  const [{ after }] = useUrlState()
  const { role } = useSession()
  const query = useQuery(personAccountsQuery(id, textIn(after)))
  const columns: readonly Column<Account>[] = [
    { title: 'Account', isExtra: true, cell: (account) => <Id id={account.id} /> },
    { title: 'State', cell: (account) => <State id={id} account={account} /> },
    { title: 'Type', cell: ({ account_details: { account_type } }) => accountTypeText(account_type) },
    { title: 'Number at the bank', isExtra: true, cell: (account) => account.external_account_id ?? 'Not opened yet' },
    { title: 'IFSC', isExtra: true, cell: ({ account_details: { ifsc_code } }) => ifsc_code ?? '–' },
    { title: 'Requested', isExtra: true, cell: ({ created_at }) => <Time at={created_at} /> },
    ...(may(role, 'setAccountStatus')
      ? [{ title: 'Next', cell: (account: Account) => <Transitions id={id} account={account} /> }]
      : []),
  ]
  return (
    <CursorList
      label="Accounts of this person"
      csv={() => csvOf.ofPerson.accounts(id)}
      query={query}
      columns={columns}
      idOf={(account) => account.id}
      nameOf={(account) => `account ${account.id}`}
      empty={<Empty title="No accounts">One is requested when the person completes the onboarding.</Empty>}
    />
  )
}

type AccountSettings = { id: UserId; account: Account }

function State({ id, account }: AccountSettings) {
  const { data } = useQuery(accountStatusQuery(id, account.id))
  return data ? <StateBadge state={data.status} /> : <span className="quiet">…</span>
}

function Transitions({ id, account }: AccountSettings) {
  const query = accountStatusQuery(id, account.id)
  const { data } = useQuery(query)
  if (!data) return null
  return (
    <StatusChange
      transitions={TRANSITIONS.filter(({ to }) => to !== data.status)}
      allowed={data.allowed_transitions}
      what="The account"
      set={(body, options) => banyan.user(id).accounts.setStatus(account.id, body, options)}
      stale={[query.queryKey, ['accounts']]}
      whyNot="The bank has not opened it, so it has no number."
    />
  )
}
