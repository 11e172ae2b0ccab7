import type { Statistics } from '@banyan/client'
import { Anchor, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ownEndpointsQuery, statisticsQuery } from '../../api/statistics.ts'
import { type Bar, BarList } from '../../parts/bar-list.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { StateBadge } from '../../parts/state-badge.tsx'
import { countText } from '../../parts/texts.ts'
import { Ago } from '../../parts/when.tsx'

/** The service’s own counts: what is stuck, and charts of what there is. */
export function Counts() {
  const query = useQuery(statisticsQuery)
  return (
    <Loaded query={query} lines={8}>
      {(data) => (
        <>
          <div className="charts">
            <Section title="Policies">
              <BarList label="Policies by state" bars={barsOf(data.insurance_policies, places.policies, byStatus)} />
            </Section>
            <Section title="Wallets">
              <BarList label="Wallets by state" bars={barsOf(data.wallets, places.wallets, walletList)} />
            </Section>
            <div className="column">
              <Section title="Accounts">
                <BarList label="Accounts by state" bars={barsOf(data.accounts, places.accounts, accountList)} />
              </Section>
              <Section title="To be sent">
                <Outgoing statistics={data} />
              </Section>
            </div>
          </div>
          {data.as_of && (
            <Text size="xs" c="dimmed">
              Counted <Ago at={data.as_of} />
            </Text>
          )}
        </>
      )}
    </Loaded>
  )
}

type StateCounts = Readonly<Record<string, number>>
type Search = (state: string) => Readonly<Record<string, string>>

const barsOf = (counts: StateCounts, place: string, search: Search): Bar[] =>
  Object.entries(counts).map(([state, count]) => ({
    key: state,
    label: <StateBadge state={state} />,
    count,
    to: place,
    search: search(state),
  }))

/** The lists of wallets and accounts that hold a state. */
const WALLET_LISTS: Readonly<Record<string, string>> = {
  FAILED: '',
  RETRYING: 'retrying',
  CREATED: 'waiting',
  PENDING: 'waiting',
  IN_PROGRESS: 'waiting',
}
const ACCOUNT_LISTS: Readonly<Record<string, string>> = { PENDING: '', ACTIVE: 'active', INACTIVE: 'inactive' }

const byStatus: Search = (state) => ({ status: state })
const walletList: Search = (state) => ({ list: WALLET_LISTS[state] ?? 'all' })
const accountList: Search = (state) => ({ list: ACCOUNT_LISTS[state] ?? 'all' })

/** Events and deliveries that have not arrived yet; a number that grows is stuck. */
function Outgoing({ statistics }: { statistics: Statistics }) {
  const { data: endpoints } = useQuery(ownEndpointsQuery)
  const disabled = endpoints?.data.filter(({ status }) => status === 'DISABLED').length ?? 0
  const rows = [
    ['Events not yet dispatched', statistics.events_waiting, places.events],
    ['Webhook deliveries to be sent', statistics.webhook_deliveries_waiting, places.webhooks],
    ['Your webhook endpoints that are disabled', disabled, places.webhooks],
  ] as const
  return (
    <Table className="list">
      <Table.Tbody>
        {rows.map(([text, count, to]) => (
          <Table.Tr key={text}>
            <Table.Td>{text}</Table.Td>
            <Table.Td data-number>
              <Anchor component={Link} to={to}>
                {countText(count)}
              </Anchor>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
