import { Anchor, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { companiesQuery, messagesQuery } from '../../api/sandbox.ts'
import { sandboxUrl } from '../../api/sandbox-url.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { Time } from '../../parts/when.tsx'
import { Calendar } from './calendar.tsx'
import { Companies } from './companies.tsx'

/** The stand-ins for external companies, in development only. */
export function Screen() {
  const query = useQuery(companiesQuery)
  return (
    <Page title="Sandbox">
      <Text size="sm" c="dimmed">
        Stand-ins for the companies that the service calls. They are here in development only.
      </Text>
      <Loaded query={query}>
        {(data) => (
          <>
            <Calendar now={data.now} />
            <Companies operator={data.operator} accountProvider={data.accountProvider} />
          </>
        )}
      </Loaded>
      <Inbox />
      <Section title="Receivers of webhooks">
        <Text size="sm">
          Each name is an endpoint that shows what it gets, such as{' '}
          <Anchor href={`${sandboxUrl()}/webhooks/mine`} underline="always" target="_blank" rel="noreferrer">
            {sandboxUrl()}/webhooks/mine
          </Anchor>
          .
        </Text>
      </Section>
    </Page>
  )
}

const SHOWN = 20

function Inbox() {
  const query = useQuery(messagesQuery)
  return (
    <Section title="Text messages">
      <Loaded query={query}>
        {(messages) =>
          messages.length === 0 ? (
            <Empty title="No message was sent">One-time codes of wallet users appear here.</Empty>
          ) : (
            <Stack gap={4}>
              <Table className="list" aria-label="Text messages">
                <Table.Tbody>
                  {messages
                    .slice(-SHOWN)
                    .toReversed()
                    .map(({ to, text, sent_at }, index) => (
                      <Table.Tr key={index}>
                        <Table.Td data-extra>
                          <Time at={new Date(sent_at)} />
                        </Table.Td>
                        <Table.Td className="nowrap">{to}</Table.Td>
                        <Table.Td>{text}</Table.Td>
                      </Table.Tr>
                    ))}
                </Table.Tbody>
              </Table>
            </Stack>
          )
        }
      </Loaded>
    </Section>
  )
}
