import type { AuditEntry } from '@banyan/client'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { cameBackQuery, ownChangesQuery } from '../../api/my-day.ts'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { isNamed, Named } from '../../parts/named.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { Page, Section } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { idColumnIn, placeOfPolicy, policyColumnsIn, WAITING_SINCE } from '../../parts/policy-columns.tsx'
import { Rows } from '../../parts/rows.tsx'
import { countText, startOfDay } from '../../parts/texts.ts'
import { Time } from '../../parts/when.tsx'
import { operationText } from './operation-text.ts'

const DAYS_BACK = 7

const CAME_BACK = [...policyColumnsIn(placeOfPolicy), WAITING_SINCE, idColumnIn(placeOfPolicy)]

const DONE: readonly Column<AuditEntry>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  { title: 'What', cell: (entry) => operationText(entry) },
  {
    title: 'Record',
    cell: (entry) =>
      entry.subject !== null && isNamed(entry.subject) ? (
        <Named id={entry.subject} />
      ) : (
        <Id id={entry.subject ?? '–'} to={placeOf(entry)} />
      ),
  },
]

/** The person, where the operation has no screen of its own. */
function placeOf({ subject, user_id: userId }: AuditEntry): string | undefined {
  if (userId === null) return undefined
  if (subject?.startsWith('pol_')) return places.policy(userId, subject)
  return subject?.startsWith('con_') ? places.consultation(userId, subject) : undefined
}

/** What the person has done today, and which of it others have moved since. */
export function Screen() {
  const day = startOfDay()
  const done = useQuery(ownChangesQuery(day))
  const back = useQuery(cameBackQuery(startOfDay(-DAYS_BACK)))
  return (
    <Page title="My day">
      <Section title="Came back">
        <CursorList
          label="Came back"
          query={{ ...back, data: back.data && { data: back.data, next: null } }}
          columns={CAME_BACK}
          idOf={({ id }) => id}
          nameOf={({ id }) => `policy ${id}`}
          to={placeOfPolicy}
          empty={
            <Empty title="Nothing came back">
              Policies that you have changed within {DAYS_BACK} days, that somebody else has changed since, and that
              wait.
            </Empty>
          }
        />
      </Section>
      <Section title="Done today">
        <Loaded query={done} lines={6}>
          {(entries) =>
            entries.length === 0 ? (
              <Empty title="Nothing yet">What you change is listed here.</Empty>
            ) : (
              <>
                <Summary entries={entries} />
                <Rows label="Done today" columns={DONE} rows={entries} idOf={({ id }) => id} />
              </>
            )
          }
        </Loaded>
      </Section>
    </Page>
  )
}

/** How often each thing was done, most often first. */
function Summary({ entries }: { entries: readonly AuditEntry[] }) {
  const counts = [...Map.groupBy(entries, (entry) => operationText(entry))].toSorted(
    ([, one], [, other]) => other.length - one.length,
  )
  return (
    <Text size="sm" mb="xs">
      {counts.map(([text, of]) => `${text}: ${countText(of.length)}`).join(' · ')}
    </Text>
  )
}
