import type { Event } from '@banyan/client'
import { Group, SegmentedControl, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { type EventFilter, eventsQuery } from '../../api/events.ts'
import { useSession } from '../../api/session.ts'
import { FilterSelect } from '../../parts/filter-select.tsx'
import { IdFilters } from '../../parts/id-filters.tsx'
import { CursorList } from '../../parts/list-page.tsx'
import { Empty, Failed, Loading } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { FROM_START, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { columnsFor } from './columns.tsx'
import { EVENT_GROUPS } from './event-types.ts'
import { useLive } from './use-live.ts'
import { eventPlaceOf } from '../../parts/event-place.ts'

const FIELDS = [{ name: 'subject', label: 'Id of a record', placeholder: 'Id of a record', width: 260 }]
const WAYS = [
  { value: '', label: 'As they happen' },
  { value: 'all', label: 'Back in time' },
]

/** What the service has reported: as it happens, or back from now. Enter opens the record. */
export function Screen() {
  const [state, setState] = useUrlState()
  const group = EVENT_GROUPS.find(({ value }) => value === state['about'])
  const subject = textIn(state['subject'])
  const filter: EventFilter = { subject, ...(group && { type: group.types }) }
  const isAll = state['from'] === 'all'
  return (
    <Page title="Events">
      <Group gap="sm" align="flex-end">
        <SegmentedControl
          size="xs"
          aria-label="From when"
          data={WAYS}
          value={isAll ? 'all' : ''}
          onChange={(from) => setState({ from, ...FROM_START })}
        />
        <FilterSelect
          label="About"
          choices={[{ value: '', label: 'About all' }, ...EVENT_GROUPS.map(({ value, label }) => ({ value, label }))]}
          value={group?.value ?? ''}
          change={(about) => setState({ about, ...FROM_START })}
        />
        <IdFilters
          key={subject}
          fields={FIELDS}
          values={{ subject }}
          change={(patch) => setState({ ...patch, ...FROM_START })}
        />
      </Group>
      {isAll ? <All filter={filter} after={textIn(state['after'])} /> : <Live filter={filter} />}
    </Page>
  )
}

type Shown = Pick<Parameters<typeof CursorList<Event>>[0], 'query' | 'csv' | 'empty'>

function Events(shown: Shown) {
  const { role } = useSession()
  const opens = (event: Event) => eventPlaceOf(event, role)
  return (
    <CursorList
      label="Events"
      {...shown}
      columns={columnsFor(opens)}
      idOf={({ id }) => id}
      nameOf={({ id }) => `event ${id}`}
      to={opens}
    />
  )
}

function All({ filter, after }: { filter: EventFilter; after: string | undefined }) {
  const query = useQuery(eventsQuery(filter, after))
  return (
    <Events
      query={query}
      csv={() => csvOf.events(filter)}
      empty={<Empty title="No events here">Choose another filter, or go to the next page.</Empty>}
    />
  )
}

function Live({ filter }: { filter: EventFilter }) {
  const { events, isFollowing, error } = useLive(filter)
  if (error) return <Failed error={error} />
  if (!isFollowing) return <Loading />
  const query = {
    data: { data: events, next: null },
    error: null,
    fetchStatus: 'idle' as const,
    refetch: () => undefined,
  }
  return (
    <>
      <Text size="xs" c="dimmed" role="status">
        New events appear within seconds, newest first.
      </Text>
      <Events
        query={query}
        empty={<Empty title="Nothing has happened yet">“Back in time” shows the older events.</Empty>}
      />
    </>
  )
}
