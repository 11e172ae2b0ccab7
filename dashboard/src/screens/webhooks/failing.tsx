import { Anchor, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FailingEndpoint, failingEndpointsQuery } from '../../api/failing-webhooks.ts'
import { useSession } from '../../api/session.ts'
import { Company } from '../../parts/company.tsx'
import { Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Ago } from '../../parts/when.tsx'
import { outcomeOf } from './outcome-of.ts'

/** The endpoints of all partners that do not take what is sent to them. */
export function Failing() {
  const { role } = useSession()
  const query = useQuery(failingEndpointsQuery(role))
  return (
    <Section title="Failing at partners">
      <Loaded query={query} lines={2}>
        {(failing) =>
          failing.length === 0 ? (
            <Text size="sm">The last attempt at every endpoint of a partner succeeded.</Text>
          ) : (
            <Table className="list" aria-label="Failing endpoints">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Partner</Table.Th>
                  <Table.Th>Endpoint</Table.Th>
                  <Table.Th>State</Table.Th>
                  <Table.Th data-extra>Last response</Table.Th>
                  <Table.Th data-extra>When</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {failing.map((one) => (
                  <Row key={one.endpoint.id} {...one} />
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Section>
  )
}

const Row = ({ endpoint: { id, url, status }, owner, at, attempt }: FailingEndpoint) => (
  <Table.Tr>
    <Table.Td>
      <Company id={owner} />
    </Table.Td>
    <Table.Td>
      <Anchor className="id url" component={Link} to="." search={{ owner, endpoint: id } as never}>
        {url}
      </Anchor>
    </Table.Td>
    <Table.Td>
      <StateBadge state={status === 'ACTIVE' ? 'FAILED' : status} />
    </Table.Td>
    <Table.Td data-extra>{outcomeOf(attempt)}</Table.Td>
    <Table.Td data-extra>
      <Ago at={at} />
    </Table.Td>
  </Table.Tr>
)
