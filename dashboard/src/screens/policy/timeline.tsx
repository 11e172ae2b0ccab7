import type { InsurancePolicyTimelineEntry } from '@banyan/client'
import { Button, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type PolicyRef, timelineQuery } from '../../api/policies.ts'
import { wordsFor as fieldWords } from '../../api/unseen-corrections.ts'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { stateText, wordsOf } from '../../parts/state-badge.tsx'
import { dayText } from '../../parts/texts.ts'
import { Time } from '../../parts/when.tsx'
import { documentName } from './document-names.ts'

const ACTORS: Readonly<Record<string, string>> = {
  platform: 'the partner',
  user: 'the person',
  provider: 'the insurer’s desk',
  operator: 'an operator',
  owner: 'an owner',
  system: 'the calendar',
}

/** What has happened to the policy, as the service keeps it. */
export function Timeline({ policy }: { policy: PolicyRef }) {
  const query = useInfiniteQuery(timelineQuery(policy))
  return (
    <Section title="Timeline">
      <Loaded query={query}>
        {({ pages }) => {
          const entries = pages.flatMap(({ data }) => data)
          if (entries.length === 0) return <Empty title="Nothing has happened yet" />
          return (
            <>
              <ol className="timeline">
                {entries.map((entry, index) => (
                  <li key={index}>
                    <Text size="sm">{wordsFor(entry)}</Text>
                    <Text size="xs" c="dimmed" component="div">
                      <Time at={entry.at} />
                      {entry.actor_kind !== null && ` · by ${ACTORS[entry.actor_kind] ?? entry.actor_kind}`}
                    </Text>
                    {entry.reason !== null && <blockquote dir="auto">{entry.reason}</blockquote>}
                  </li>
                ))}
              </ol>
              {query.hasNextPage && (
                <Button size="xs" variant="default" onClick={() => void query.fetchNextPage()}>
                  Earlier
                </Button>
              )}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

function wordsFor({
  kind,
  from,
  to,
  issue,
  document_type: type,
  fields,
  on,
  code,
}: InsurancePolicyTimelineEntry): string {
  switch (kind) {
    case 'STATUS_CHANGED':
      return from === null ? 'Applied' : `${stateText(from)} → ${stateText(to ?? '')}`
    case 'ISSUED':
      return `Issue ${issue ?? ''}: certificate and cards`
    case 'DOCUMENT_UPLOADED':
      return `${documentName(type ?? '')} uploaded`
    case 'DOCUMENT_REMOVED':
      return `Uploaded ${documentName(type ?? '').toLowerCase()} removed`
    case 'DEPENDANT_CORRECTED':
      return `Corrected in a dependant: ${fieldWords(fields).join(', ')}`
    case 'MEMBER_CORRECTED':
      return `Corrected in the member: ${fieldWords(fields).join(', ')}`
    case 'END_SCHEDULED':
      return `Ends on ${dayText(on ?? '')}: ${wordsOf(code ?? '').toLowerCase()}`
    case 'END_WITHDRAWN':
      return 'End taken back'
    default:
      return kind
  }
}
