import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { changesQuery } from '../../api/changes.ts'
import { useSession } from '../../api/session.ts'
import { statisticsQuery } from '../../api/statistics.ts'
import { Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { countText, timeText } from '../../parts/texts.ts'
import { type Hour, hourName, hoursOf } from './hours.ts'

const HOURS = 24
const NAMED_EVERY = 6
const HEIGHT = 64

/** What has happened in a day, by the hour. */
export function Activity() {
  const { role } = useSession()
  return role === 'benefit_provider' ? <ChangesByHour /> : <EventsByHour />
}

/** The service’s own count of its events. */
function EventsByHour() {
  const query = useQuery(statisticsQuery)
  return (
    <Activities title="Events per hour">
      <Loaded query={query} lines={3}>
        {({ events_by_hour: hours }) => {
          const counts = hours.map(({ since, events }) => ({ name: hourName(since), count: events }))
          return <Chart label="Events by hour" hours={counts} unit="events" />
        }}
      </Loaded>
    </Activities>
  )
}

/** Records by the hour of their last change. */
function ChangesByHour() {
  const query = useQuery(changesQuery(HOURS))
  return (
    <Activities title="Changes per hour">
      <Loaded query={query} lines={3}>
        {({ times, since }) => {
          const hours = hoursOf(times, { hours: HOURS, since, now: new Date() })
          const isCut = hours.some(({ isKnown }) => !isKnown)
          return (
            <Chart label="Changes by hour" hours={hours} unit="records, each at the hour of its last change">
              {isCut && ` There were more before ${timeText(since)}.`}
            </Chart>
          )
        }}
      </Loaded>
    </Activities>
  )
}

const Activities = ({ title, children }: { title: string; children: ReactNode }) => (
  <Section
    title={title}
    aside={
      <Anchor component={Link} to={places.events} search={{ from: 'all' } as never} size="sm">
        All events
      </Anchor>
    }
  >
    {children}
  </Section>
)

type ChartSettings = {
  label: string
  hours: readonly Pick<Hour, 'name' | 'count'>[]
  /** What the numbers are of. */
  unit: string
  children?: ReactNode
}

function Chart({ label, hours, unit, children }: ChartSettings) {
  const most = Math.max(1, ...hours.map(({ count }) => count))
  const total = hours.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <ol className="hours" aria-label={label}>
        {hours.map(({ name, count }, index) => (
          <li key={index} title={`${name}: ${countText(count)}`}>
            <span className="count" data-hidden={count === 0 || undefined}>
              {countText(count)}
            </span>
            <svg width="100%" height={HEIGHT} aria-hidden="true">
              <rect width="100%" y={HEIGHT * (1 - count / most)} height={(count / most) * HEIGHT} rx={2} />
            </svg>
            <span className="hour" data-hidden={index % NAMED_EVERY !== 0 || undefined}>
              {name}
            </span>
          </li>
        ))}
      </ol>
      <Text size="xs" c="dimmed">
        {countText(total)} {unit}.{children}
      </Text>
    </>
  )
}
