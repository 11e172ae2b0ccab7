import { Anchor, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Changes, changesQuery } from '../../api/changes.ts'
import { useSession } from '../../api/session.ts'
import { Loaded } from '../../parts/outcomes.tsx'
import { Section } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { countText, timeText } from '../../parts/texts.ts'
import { hoursOf } from './hours.ts'

const HOURS = 24
const NAMED_EVERY = 6
const HEIGHT = 64

/** What has happened in a day: records by the hour of their last change. */
export function Activity() {
  const { role } = useSession()
  const query = useQuery(changesQuery(role, HOURS))
  return (
    <Section
      title="Changes an hour"
      aside={
        <Anchor component={Link} to={places.events} search={{ from: 'all' } as never} size="sm">
          All events
        </Anchor>
      }
    >
      <Loaded query={query} lines={3}>
        {(changes) => <Chart changes={changes} />}
      </Loaded>
    </Section>
  )
}

function Chart({ changes: { times, since } }: { changes: Changes }) {
  const now = new Date()
  const hours = hoursOf(times, { hours: HOURS, since, now })
  const most = Math.max(1, ...hours.map(({ count }) => count))
  const total = hours.reduce((sum, { count }) => sum + count, 0)
  const isCut = hours.some(({ isKnown }) => !isKnown)
  return (
    <>
      <ol className="hours" aria-label="Changes by hour">
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
        {countText(total)} records, each at the hour of its last change.
        {isCut && ` There were more before ${timeText(since)}.`}
      </Text>
    </>
  )
}
