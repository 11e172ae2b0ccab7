import { credentialId, type Exposure } from '@banyan/client'
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { exposureQuery } from '../../api/audit.ts'
import { csvOf } from '../../api/csv.ts'
import { DayRange, daysIn } from '../../parts/day-range.tsx'
import { Id } from '../../parts/id.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { isNamed, Named } from '../../parts/named.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { FROM_START, textIn } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'

const COLUMNS: readonly Column<Exposure>[] = [
  { title: 'Whose', cell: (one) => <Whose {...one} /> },
  {
    title: 'What',
    cell: ({ summary, action }) => (
      <>
        {summary}
        <div className="quiet">{action}</div>
      </>
    ),
  },
  { title: 'Times', isNumber: true, cell: ({ count }) => count },
  { title: 'First', isExtra: true, cell: ({ first_at: at }) => <Time at={at} /> },
  { title: 'Last', cell: ({ last_at: at }) => <Time at={at} /> },
]

function Whose({ user_id: userId, subject }: Pick<Exposure, 'user_id' | 'subject'>) {
  if (userId !== null) return <Id id={userId} to={places.person(userId)} />
  if (subject === null) return '–'
  return isNamed(subject) ? <Named id={subject} /> : <Id id={subject} />
}

/** Whose data a credential has read or changed: for a breach. */
export function Screen() {
  const params: { credentialId?: string } = useParams({ strict: false })
  const id = credentialId(params.credentialId ?? '')
  const [state, setState] = useUrlState()
  const days = daysIn(state)
  const filter = { credential_id: id, ...days }
  const query = useQuery(exposureQuery({ ...filter, after: textIn(state['after']) }))
  return (
    <Page title="What it read" aside={<Id id={id} />}>
      <DayRange days={days} change={(patch) => setState({ ...patch, ...FROM_START })} />
      <CursorList
        label="What it read"
        csv={() => csvOf.exposure(filter)}
        query={query}
        columns={COLUMNS}
        idOf={({ user_id, subject, operation, action }) => `${user_id ?? subject} ${operation} ${action}`}
        nameOf={({ user_id, subject, summary }) => `${summary} ${user_id ?? subject ?? ''}`}
        to={({ user_id }) => (user_id === null ? undefined : places.person(user_id))}
        empty={
          <Empty title="Nothing here">In these days, it has read and changed nothing that the audit records.</Empty>
        }
      />
      <Text size="sm" c="dimmed">
        Each operation on each person or record once, in the order in which it began, also through tokens of users that
        were issued with it. A read is here within a second. The list stays when the credential is revoked.
      </Text>
    </Page>
  )
}
