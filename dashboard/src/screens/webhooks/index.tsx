import type { WebhookEndpoint } from '@banyan/client'
import { Anchor, NativeSelect, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { namesIn, namesQuery } from '../../api/names.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { endpointsQuery } from '../../api/webhooks.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Deliveries } from './deliveries.tsx'
import { Endpoint } from './endpoint.tsx'
import { Failing } from './failing.tsx'
import { NewEndpoint } from './new-endpoint.tsx'

/** Where events are posted to, and what became of each. Operators see those of partners too, to help them. */
export function Screen() {
  const { role } = useSession()
  const [state, setState] = useUrlState()
  const helps = mayWrite(role)
  const owner = helps ? textIn(state['owner']) : undefined
  const query = useQuery(endpointsQuery(owner))
  const shown = query.data?.find(({ id }) => id === state['endpoint'])
  const isOwn = owner === undefined && role !== 'viewer'
  return (
    <Page title="Webhooks" aside={isOwn && <NewEndpoint />}>
      {helps && owner === undefined && <Failing />}
      {helps && <Whose owner={owner ?? ''} change={(next) => setState({ owner: next, ...NOTHING_OPEN })} />}
      <Loaded query={query} lines={3}>
        {(endpoints) =>
          endpoints.length === 0 ? (
            <Empty title="No endpoints">
              {isOwn ? 'Create one, and new events are posted to it.' : 'Only their owner can create some.'}
            </Empty>
          ) : (
            <Endpoints endpoints={endpoints} owner={owner} shown={shown} />
          )
        }
      </Loaded>
      {shown && (
        <>
          <Endpoint endpoint={shown} isOwn={isOwn} mayReplay={role !== 'viewer'} />
          <Deliveries endpoint={shown} mayReplay={role !== 'viewer'} />
        </>
      )}
    </Page>
  )
}

/** Another owner or endpoint begins with nothing chosen. */
const NOTHING_OPEN = { endpoint: undefined, delivery: undefined, after: undefined, row: undefined, status: undefined }

function Whose({ owner, change }: { owner: string; change: (owner: string) => void }) {
  const { role } = useSession()
  const { data } = useQuery(namesQuery(role))
  const groups = [
    { group: 'Platforms', items: namesIn(data, 'plt') },
    { group: 'Benefit providers', items: namesIn(data, 'bpr') },
  ]
  const isKnown = groups.some(({ items }) => items.some(({ value }) => value === owner))
  return (
    <NativeSelect
      size="xs"
      maw={320}
      label="Whose"
      data-search
      data={[
        { value: '', label: 'Administrators (ours)' },
        ...(owner !== '' && !isKnown ? [{ value: owner, label: owner }] : []),
        ...groups,
      ]}
      value={owner}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  )
}

type EndpointsSettings = {
  endpoints: readonly WebhookEndpoint[]
  owner: string | undefined
  shown: WebhookEndpoint | undefined
}

function Endpoints({ endpoints, owner, shown }: EndpointsSettings) {
  return (
    <Table className="list" aria-label="Endpoints">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Endpoint</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th data-extra>Events</Table.Th>
          <Table.Th data-extra>Description</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {endpoints.map((endpoint) => (
          <Table.Tr key={endpoint.id} aria-current={endpoint === shown || undefined}>
            <Table.Td>
              <Anchor
                className="id url"
                component={Link}
                to="."
                search={{ owner, endpoint: endpoint.id } as never}
                resetScroll={false}
              >
                {endpoint.url}
              </Anchor>
            </Table.Td>
            <Table.Td>
              <StateBadge state={endpoint.status} />
            </Table.Td>
            <Table.Td data-extra>{endpoint.event_types.join(', ')}</Table.Td>
            <Table.Td data-extra>{endpoint.description ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
