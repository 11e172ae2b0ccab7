import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from '@banyan/client'
import { Anchor, Button, Code, Table, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { csvOf } from '../../api/csv.ts'
import { banyan } from '../../api/banyan.ts'
import { deliveriesQuery } from '../../api/webhooks.ts'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { notify, notifyError } from '../../parts/notices.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { useStateFilter } from '../../parts/state-filter.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Ago, Time } from '../../parts/when.tsx'

/** What was sent to an endpoint; the delivery whose attempts are shown is in the address. */
export function Deliveries({ endpoint, mayReplay }: { endpoint: WebhookEndpoint; mayReplay: boolean }) {
  const [state] = useUrlState()
  const { chosen, filter } = useStateFilter(['PENDING', 'DELIVERED', 'FAILED'])
  const query = useQuery(deliveriesQuery(endpoint.id, chosen, textIn(state['after'])))
  const shown = query.data?.data.find(({ id }) => id === state['delivery'])
  const columns: Column<WebhookDelivery>[] = [
    { title: 'Event', cell: (row) => <EventLink delivery={row} /> },
    { title: 'State', cell: ({ status }) => <StateBadge state={status} /> },
    { title: 'Attempts', isNumber: true, isExtra: true, cell: ({ attempts }) => attempts.length },
    { title: 'Last response', isExtra: true, cell: ({ attempts }) => outcomeOf(attempts.at(-1)) },
    { title: 'Created', isExtra: true, cell: ({ created_at }) => <Ago at={created_at} /> },
  ]
  if (mayReplay) columns.push({ title: 'Again', cell: (row) => <Replay endpoint={endpoint} delivery={row} /> })
  return (
    <>
      {shown && <Attempts delivery={shown} />}
      <Section title="Deliveries" aside={filter}>
        <CursorList
          label="Deliveries"
          csv={() => csvOf.deliveries(endpoint.id, chosen)}
          query={query}
          columns={columns}
          idOf={({ id }) => id}
          nameOf={({ id }) => `delivery ${id}`}
          empty={<Empty title="No deliveries here">They are kept for 30 days. Choose other states.</Empty>}
        />
      </Section>
    </>
  )
}

/** What an attempt ended with: the status of the response, or why there was none. */
function outcomeOf(attempt: WebhookAttempt | undefined): string {
  if (!attempt) return '–'
  return attempt.status === null ? (attempt.error ?? 'none').replaceAll('_', ' ') : String(attempt.status)
}

function EventLink({ delivery: { id, event_type } }: { delivery: WebhookDelivery }) {
  return (
    <Anchor
      size="sm"
      component={Link}
      to="."
      search={((before: object) => ({ ...before, delivery: id })) as never}
      resetScroll={false}
    >
      {event_type}
    </Anchor>
  )
}

function Replay({ endpoint, delivery }: { endpoint: WebhookEndpoint; delivery: WebhookDelivery }) {
  const queries = useQueryClient()
  const replay = useMutation({
    mutationFn: () => banyan.webhookEndpoints.replayDelivery(endpoint.id, delivery.id),
    onSuccess: () => {
      notify('The delivery is sent again.')
      return queries.invalidateQueries({ queryKey: ['webhooks'] })
    },
    onError: notifyError,
  })
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Replay ${delivery.event_type} ${delivery.id}`}
      disabled={endpoint.status !== 'ACTIVE'}
      loading={replay.isPending}
      onClick={() => replay.mutate()}
    >
      Replay
    </Button>
  )
}

/** The attempts, the latest first, with the first bytes of each response. */
function Attempts({ delivery }: { delivery: WebhookDelivery }) {
  const { event_type, attempts, next_attempt_at: next } = delivery
  return (
    <Section title={`Attempts: ${event_type}`}>
      {next !== null && (
        <Text size="sm" mb="xs">
          The next attempt is not before <Time at={next} />.
        </Text>
      )}
      {attempts.length === 0 ? (
        <Text size="sm">None yet.</Text>
      ) : (
        <Table.ScrollContainer minWidth={0}>
          <Table className="list" aria-label="Attempts">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>At</Table.Th>
                <Table.Th>Response</Table.Th>
                <Table.Th data-number data-extra>
                  Took
                </Table.Th>
                <Table.Th>First bytes</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {attempts.toReversed().map((attempt, index) => (
                <Table.Tr key={index}>
                  <Table.Td>
                    <Time at={attempt.at} />
                  </Table.Td>
                  <Table.Td>{outcomeOf(attempt)}</Table.Td>
                  <Table.Td data-number data-extra>
                    {attempt.duration_ms} ms
                  </Table.Td>
                  <Table.Td>
                    {attempt.response ? (
                      <Code className="secret" dir="auto">
                        {attempt.response}
                      </Code>
                    ) : (
                      '–'
                    )}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  )
}
