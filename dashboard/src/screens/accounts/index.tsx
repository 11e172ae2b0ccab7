import type { ListedAccount } from '@banyan/client'
import type { ListAllAccountsQuery } from '@banyan/client/operations'
import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { csvOf } from '../../api/csv.ts'
import { FilterSelect } from '../../parts/filter-select.tsx'
import { banyan } from '../../api/banyan.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { accountsQuery } from '../../api/work-lists.ts'
import { accountTypeText } from '../../parts/account-type.ts'
import { BulkDialog, REASON_OF_EACH } from '../../parts/bulk-dialog.tsx'
import { BulkBar } from '../../parts/bulk.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { ListTabs, useNamedList } from '../../parts/list-tabs.tsx'
import { OrderSelect, orderIn } from '../../parts/order-select.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { typed, type Values } from '../../parts/problem-form.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { FROM_START, knownIn, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'

const LISTS = [
  { id: '', title: 'Pending', filter: { status: ['PENDING'] } },
  { id: 'active', title: 'Active', filter: { status: ['ACTIVE'] } },
  { id: 'inactive', title: 'Inactive', filter: { status: ['INACTIVE'] } },
  { id: 'all', title: 'All', filter: {} },
] as const satisfies readonly { id: string; title: string; filter: ListAllAccountsQuery }[]

const TYPES = ['SAVINGS', 'HSA', 'EDUCATION', 'SPONSOR'] as const

const placeOf = ({ user_id }: ListedAccount) => places.person(user_id, 'accounts')

const COLUMNS: readonly Column<ListedAccount>[] = [
  {
    title: 'Person',
    cell: ({ user_id }) => <Id id={user_id} to={places.person(user_id, 'accounts')} />,
  },
  { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Type', isExtra: true, cell: ({ account_type }) => accountTypeText(account_type) },
  { title: 'Requested', isExtra: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  { title: 'Changed', cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
  { title: 'Account', isExtra: 'wide', cell: ({ id }) => <Id id={id} /> },
]

const DEACTIVATE = {
  label: 'Deactivate',
  effect:
    'They are used no more. One that the bank has opened can be activated again; one that was still pending cannot.',
  fields: [REASON_OF_EACH],
  act: ({ user_id, id }: ListedAccount, values: Values) =>
    banyan.user(user_id).accounts.setStatus(id, { status: 'INACTIVE', reason: typed(values, REASON_OF_EACH.pointer) }),
}

/** The work list of accounts: those that the bank has not opened yet come first. */
export function Screen() {
  const [state, setState] = useUrlState()
  const { role } = useSession()
  const queries = useQueryClient()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [run, setRun] = useState<readonly ListedAccount[]>()
  const { id, filter: ofList } = useNamedList<ListAllAccountsQuery>(LISTS)
  const types = knownIn(state['type'], TYPES)
  const filter = { ...ofList, ...orderIn(state), account_type: types }
  const query = useQuery(accountsQuery(filter, textIn(state['after'])))
  const rows = query.data?.data.filter((row) => selected.has(row.id)) ?? []
  const open = rows.filter(({ status }) => status !== 'INACTIVE')
  const clear = () => setSelected(new Set())

  return (
    <Page title="Accounts">
      <Group justify="space-between">
        <ListTabs label="Lists of accounts" lists={LISTS} current={id} />
        <Group gap="sm">
          <FilterSelect
            label="Type"
            isFirst
            choices={[
              { value: '', label: 'Any type' },
              ...TYPES.map((value) => ({ value, label: accountTypeText(value) })),
            ]}
            value={types[0] ?? ''}
            change={(type) => setState({ type, ...FROM_START })}
          />
          <OrderSelect />
        </Group>
      </Group>
      <BulkBar count={rows.length} clear={clear}>
        {open.length > 0 ? (
          <Button size="xs" color="red" variant="outline" onClick={() => setRun(open)}>
            {DEACTIVATE.label}
          </Button>
        ) : (
          <span className="quiet">These are inactive already.</span>
        )}
      </BulkBar>
      <BulkDialog
        action={DEACTIVATE}
        rows={run}
        idOf={({ id: account }) => account}
        placeOf={placeOf}
        close={(failed = new Set()) => {
          setRun(undefined)
          setSelected(failed)
        }}
        done={() => queries.invalidateQueries({ queryKey: ['accounts'] })}
      />
      <CursorList
        label="Accounts"
        csv={() => csvOf.accounts(filter)}
        query={query}
        columns={COLUMNS}
        idOf={({ id: account }) => account}
        nameOf={({ id: account }) => `account ${account}`}
        to={placeOf}
        selection={may(role, 'setAccountStatus') ? { ids: selected, change: setSelected } : undefined}
        empty={
          id === '' ? (
            <Empty title="No account is pending">No request is open at the bank. “All” shows the others.</Empty>
          ) : (
            <Empty title="No accounts here">Choose another list, or any type.</Empty>
          )
        }
      />
    </Page>
  )
}
