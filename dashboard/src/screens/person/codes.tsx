import type { OneTimeCode } from '@banyan/client'
import { Alert, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { codesQuery, type Numbered } from '../../api/people.ts'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Section } from '../../parts/page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'
import { adviceOn, isTrouble, NO_REQUEST, reasonFor } from './code-words.ts'
import { type Looker, Sealed } from './sealed.tsx'

const COLUMNS: readonly Column<Numbered<OneTimeCode>>[] = [
  { title: 'Requested', cell: ({ requested_at }) => <Time at={requested_at} /> },
  { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
  { title: 'What that means', isExtra: true, cell: reasonFor },
]

/** Why no code came, in words. The codes themselves are shown to nobody. */
export function Codes(looker: Looker) {
  return (
    <Sealed looker={looker} what="one-time codes">
      {(purpose) => <Opened {...looker} purpose={purpose} />}
    </Sealed>
  )
}

function Opened({ id, purpose }: Looker & { purpose: string }) {
  const [{ after }] = useUrlState()
  const query = useQuery(codesQuery(id, { purpose, after: textIn(after) }))
  const newest = after === undefined ? query.data?.data[0] : undefined
  const isAsking = query.fetchStatus === 'fetching'
  return (
    <Section
      title="Requests of the last 24 hours"
      aside={
        <Button size="xs" variant="default" loading={isAsking} onClick={() => void query.refetch()}>
          Look again
        </Button>
      }
    >
      <Stack gap="sm">
        {newest && (
          <Alert variant="outline" title={reasonFor(newest)} {...(isTrouble(newest) && { color: 'yellow' })}>
            <Text size="sm">{adviceOn(newest)}</Text>
          </Alert>
        )}
        <CursorList
          label="One-time codes"
          csv={() => csvOf.ofPerson.codes(id, { purpose })}
          query={query}
          columns={COLUMNS}
          idOf={({ number }) => number}
          nameOf={({ number }) => `request ${number}`}
          empty={
            <Alert variant="outline" title={NO_REQUEST.reason}>
              <Text size="sm">{NO_REQUEST.advice}</Text>
            </Alert>
          }
        />
      </Stack>
    </Section>
  )
}
