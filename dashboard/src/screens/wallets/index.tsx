import type { ListedWallet } from '@banyan/client'
import type { ListAllWalletsQuery } from '@banyan/client/operations'
import { Button, Group } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { csvOf } from '../../api/csv.ts'
import { FilterSelect } from '../../parts/filter-select.tsx'
import { banyan } from '../../api/banyan.ts'
import { may } from '../../api/rights.ts'
import { useSession } from '../../api/session.ts'
import { walletsQuery } from '../../api/work-lists.ts'
import { BulkDialog } from '../../parts/bulk-dialog.tsx'
import { BulkBar } from '../../parts/bulk.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { ListTabs, useNamedList } from '../../parts/list-tabs.tsx'
import { OrderSelect, orderIn } from '../../parts/order-select.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge, stateText } from '../../parts/state-badge.tsx'
import { FROM_START, knownIn, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago } from '../../parts/when.tsx'

const LISTS = [
  { id: '', title: 'Failed', filter: { wallet_status: ['FAILED'] } },
  { id: 'retrying', title: 'Retrying', filter: { wallet_status: ['RETRYING'] } },
  { id: 'waiting', title: 'In progress', filter: { wallet_status: ['CREATED', 'PENDING', 'IN_PROGRESS'] } },
  { id: 'all', title: 'All', filter: {} },
] as const satisfies readonly { id: string; title: string; filter: ListAllWalletsQuery }[]

const AT_OPERATOR = ['ACTIVE', 'BLOCKED', 'UNKNOWN'] as const

const placeOf = ({ user_id }: ListedWallet) => places.person(user_id, 'wallet')
const idOf = ({ partner_wallet_id }: ListedWallet) => partner_wallet_id

const COLUMNS: readonly Column<ListedWallet>[] = [
  {
    title: 'Person',
    cell: ({ user_id }) => <Id id={user_id} to={places.person(user_id, 'wallet')} />,
  },
  { title: 'State', cell: ({ wallet_status }) => <StateBadge state={wallet_status} /> },
  {
    title: 'Why it failed',
    isExtra: true,
    cell: ({ failure_reason: reason }) => reason ?? <span className="quiet">–</span>,
  },
  { title: 'At the operator', isExtra: true, cell: (row) => <StateBadge state={row.wallet_status_partner} /> },
  { title: 'Created', isExtra: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  { title: 'Changed', cell: ({ last_modified_at }) => <Ago at={last_modified_at} /> },
  { title: 'Wallet', isExtra: 'wide', cell: (row) => <Id id={idOf(row)} /> },
]

const RETRY = {
  label: 'Retry',
  effect: 'The operator is asked again for each wallet, under the same id. Nothing is made twice.',
  act: ({ user_id }: ListedWallet) => banyan.user(user_id).wallet.retry(),
}

/** The work list of wallets: those that the operator did not make come first, to be asked for again. */
export function Screen() {
  const [state, setState] = useUrlState()
  const { role } = useSession()
  const queries = useQueryClient()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [run, setRun] = useState<readonly ListedWallet[]>()
  const { id, filter: ofList } = useNamedList<ListAllWalletsQuery>(LISTS)
  const atOperator = knownIn(state['operator'], AT_OPERATOR)
  const filter = { ...ofList, ...orderIn(state), wallet_status_partner: atOperator }
  const query = useQuery(walletsQuery(filter, textIn(state['after'])))
  const mayRetry = may(role, 'retryWallet')
  const rows = query.data?.data.filter((row) => selected.has(idOf(row))) ?? []
  const failed = rows.filter(({ wallet_status }) => wallet_status === 'FAILED')
  const clear = () => setSelected(new Set())

  return (
    <Page title="Wallets">
      <Group justify="space-between">
        <ListTabs label="Lists of wallets" lists={LISTS} current={id} />
        <Group gap="sm">
          <FilterSelect
            label="State at the operator"
            isFirst
            choices={[
              { value: '', label: 'Any state at the operator' },
              ...AT_OPERATOR.map((value) => ({ value, label: `${stateText(value)} at the operator` })),
            ]}
            value={atOperator[0] ?? ''}
            change={(operator) => setState({ operator, ...FROM_START })}
          />
          <OrderSelect />
        </Group>
      </Group>
      <BulkBar count={rows.length} clear={clear}>
        {failed.length > 0 ? (
          <Button size="xs" onClick={() => setRun(failed)}>
            {RETRY.label}
          </Button>
        ) : (
          <span className="quiet">Only failed wallets can be retried.</span>
        )}
      </BulkBar>
      <BulkDialog
        action={RETRY}
        rows={run}
        idOf={idOf}
        placeOf={placeOf}
        close={(failed = new Set()) => {
          setRun(undefined)
          setSelected(failed)
        }}
        done={() => queries.invalidateQueries({ queryKey: ['wallets'] })}
      />
      <CursorList
        label="Wallets"
        csv={() => csvOf.wallets(filter)}
        query={query}
        columns={COLUMNS}
        idOf={idOf}
        nameOf={(row) => `wallet ${idOf(row)}`}
        to={placeOf}
        selection={mayRetry ? { ids: selected, change: setSelected } : undefined}
        empty={
          id === '' ? (
            <Empty title="No wallet is failed now">
              Those that were asked for again are in “Retrying” or “In progress”, and come back here if they fail again.
            </Empty>
          ) : (
            <Empty title="No wallets here">A wallet is made when its person first signs in to it.</Empty>
          )
        }
      />
    </Page>
  )
}
