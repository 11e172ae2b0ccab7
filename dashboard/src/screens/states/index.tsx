import type { StateMachine } from '@banyan/client'
import { Anchor, Group, ScrollArea, Table, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { banyan } from '../../api/banyan.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { StateBadge, wordsOf } from '../../parts/state-badge.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { Diagram } from './diagram.tsx'
import './states.css'

const machinesQuery = queryOptions({
  queryKey: ['state-machines'],
  queryFn: ({ signal }) => banyan.meta.listStateMachines({ signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Every kind of record with states, as the service’s own tables have them. */
export function Screen() {
  const [{ machine }] = useUrlState()
  const query = useQuery(machinesQuery)
  return (
    <Page title="State machines">
      <Loaded query={query} lines={10}>
        {({ data }) => {
          const shown = data.find(({ name }) => name === machine) ?? data[0]
          if (!shown) return <Empty title="There are none" />
          return (
            <>
              <Group component="nav" gap="4px 20px" aria-label="Kinds of records">
                {data.map(({ name }) => (
                  <Anchor
                    key={name}
                    component={Link}
                    to="."
                    search={{ machine: name } as never}
                    className="tab"
                    aria-current={name === shown.name ? 'page' : undefined}
                  >
                    {wordsOf(name)}
                  </Anchor>
                ))}
              </Group>
              <Section title={wordsOf(shown.name)}>
                <Diagram machine={shown} />
                <Text size="xs" c="dimmed">
                  Dashed: the calendar makes it. Each transition reports the event {shown.event}.
                </Text>
              </Section>
              <Transitions machine={shown} />
            </>
          )
        }}
      </Loaded>
    </Page>
  )
}

function Transitions({ machine: { transitions } }: { machine: StateMachine }) {
  return (
    <ScrollArea type="auto">
      <Table className="list" aria-label="Transitions">
        <Table.Thead>
          <Table.Tr>
            {['Transition', 'Who', 'Conditions'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {transitions.map((transition, index) => (
            <Table.Tr key={index}>
              <Table.Td>
                <Group gap={4}>
                  <StateBadge state={transition.from} />
                  →
                  <StateBadge state={transition.to} />
                </Group>
              </Table.Td>
              <Table.Td>{transition.who.map(wordsOf).join(', ')}</Table.Td>
              <Table.Td>{conditionsOf(transition).join(', ')}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

const conditionsOf = (transition: StateMachine['transitions'][number]): string[] => [
  ...(transition.by_calendar ? ['by the calendar'] : []),
  ...(transition.needs_reason ? ['with a reason'] : []),
  ...(transition.was_issued === null ? [] : [transition.was_issued ? 'if it was issued' : 'if it was never issued']),
]
