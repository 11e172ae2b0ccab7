import type { ListedWebhookEndpoint } from '@banyan/client'
import { Anchor, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { failingEndpointsQuery } from '../../api/failing-webhooks.ts'
import { Named } from '../../parts/named.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Ago } from '../../parts/when.tsx'

/** The endpoints of all partners that do not take what is sent to them. */
export function Failing() {
  const query = useQuery(failingEndpointsQuery)
  return (
    <Section title="Failing at partners">
      <Loaded query={query} lines={2}>
        {({ data: failing, total }) =>
          failing.length === 0 ? (
            <Text size="sm">The last attempt at every endpoint of a partner succeeded.</Text>
          ) : (
            <>
              <Table className="list" aria-label="Failing endpoints">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Partner</Table.Th>
                    <Table.Th>Endpoint</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th data-extra>Fails since</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {failing.map((one) => (
                    <Row key={one.id} {...one} />
                  ))}
                </Table.Tbody>
              </Table>
              {total > failing.length && (
                <Text size="sm">
                  The newest {failing.length} of {total}. The others follow once these are repaired.
                </Text>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

const Row = ({
  id,
  url,
  status,
  owner_id: owner,
  first_failure_at: since,
  last_modified_at,
}: ListedWebhookEndpoint) => (
  <Table.Tr>
    <Table.Td>{owner !== null && <Named id={owner} />}</Table.Td>
    <Table.Td>
      <Anchor className="id url" component={Link} to="." search={{ owner, endpoint: id } as never}>
        {url}
      </Anchor>
    </Table.Td>
    <Table.Td>
      <StateBadge state={status === 'ACTIVE' ? 'FAILED' : status} />
    </Table.Td>
    <Table.Td data-extra>
      <Ago at={since ?? last_modified_at} />
    </Table.Td>
  </Table.Tr>
)
