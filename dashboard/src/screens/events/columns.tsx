import type { Event } from '@banyan/client'
import { isNamed, Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import type { Column } from '../../parts/list-page.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { Time } from '../../parts/when.tsx'

type Data = Readonly<Record<string, unknown>>

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function What({ event }: { event: Event }) {
  const { from, to } = event.data as Data
  const [before, after] = [text(from), text(to)]
  if (after === undefined) return null
  return (
    <span className="nowrap">
      {before !== undefined && (
        <>
          <StateBadge state={before} /> →{' '}
        </>
      )}
      <StateBadge state={after} />
    </span>
  )
}

/** `opens`: whether the person sees the screens of records. */
export const columnsFor = (opens: (event: Event) => string | undefined): readonly Column<Event>[] => [
  { title: 'Time', cell: ({ timestamp }) => <Time at={timestamp} /> },
  { title: 'Type', cell: ({ type }) => <code className="id">{type}</code> },
  {
    title: 'Record',
    cell: (event) => {
      const to = opens(event)
      if (isNamed(event.subject)) return <Named id={event.subject} to={to} />
      return <Id id={event.subject} {...(to !== undefined && { to })} />
    },
  },
  { title: 'State', isExtra: true, cell: (event) => <What event={event} /> },
]
