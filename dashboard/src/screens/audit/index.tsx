import type { AuditEntry } from '@banyan/client'
import { Code, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { csvOf } from '../../api/csv.ts'
import { FilterSelect } from '../../parts/filter-select.tsx'
import { auditQuery } from '../../api/audit.ts'
import { namesIn, namesQuery } from '../../api/names.ts'
import { useSession } from '../../api/session.ts'
import { DayRange, daysIn } from '../../parts/day-range.tsx'
import { isNamed, Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { IdFilters } from '../../parts/id-filters.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { wordsOf } from '../../parts/state-badge.tsx'
import { FROM_START, knownIn, textIn, type UrlState } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'

const ACTIONS = ['read', 'change', 'revoke', 'token'] as const
const ACTION_NAMES = { read: 'Reads', change: 'Changes', revoke: 'Revocations', token: 'Tokens' } as const

const SUBJECT = { name: 'subject', label: 'Id of a record', placeholder: 'Id of a record', width: 220 }

/** People and companies by their names; anyone without one is typed as `kind:id`. */
function useFields() {
  const { role } = useSession()
  const names = useQuery(namesQuery(role))
  const choices = (['adm', 'plt', 'bpr'] as const).flatMap((kind) => namesIn(names.data, kind))
  const who = { name: 'actor', label: 'Who', placeholder: 'Who: a name, or operator:…', width: 220, choices }
  return { fields: [who, SUBJECT], isKnown: names.data !== undefined }
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  { title: 'Who', cell: ({ actor }) => <Actor actor={actor} /> },
  {
    title: 'What',
    cell: ({ summary, action }) => (
      <>
        {summary}
        <div className="quiet">{action}</div>
      </>
    ),
  },
  { title: 'Record', isExtra: true, cell: (entry) => <Concerned {...entry} /> },
  { title: 'Purpose', isExtra: true, cell: ({ purpose }) => purpose ?? '–' },
]

/** `kind:id`, `kind:id:person` for the people of a company, or a kind alone. */
function Actor({ actor }: { actor: string }) {
  const [kind = '', id, ...person] = actor.split(':')
  return (
    <>
      {wordsOf(kind)}
      {id !== undefined && (
        <div className="quiet">
          {isNamed(id) ? <Named id={id} /> : <Id id={id} />}
          {person[0] !== undefined && <div>{isNamed(person[0]) ? <Named id={person[0]} /> : person.join(':')}</div>}
        </div>
      )}
    </>
  )
}

function Concerned({ subject, user_id: userId }: Pick<AuditEntry, 'subject' | 'user_id'>) {
  return (
    <>
      {subject !== null && subject !== userId && (isNamed(subject) ? <Named id={subject} /> : <Id id={subject} />)}
      {userId !== null && (
        <div>
          person <Id id={userId} to={places.person(userId)} />
        </div>
      )}
      {subject === null && userId === null && '–'}
    </>
  )
}

/** Who has read or changed what, and why. */
export function Screen() {
  const [state, setState] = useUrlState()
  const action = knownIn(state['action'], ACTIONS)
  const [actor, subject] = [textIn(state['actor']), textIn(state['subject'])]
  const days = daysIn(state)
  const filter = { actor, subject, ...(action.length > 0 && { action }), ...days }
  const query = useQuery(auditQuery({ ...filter, after: textIn(state['after']) }))
  const { fields, isKnown } = useFields()
  const change = (patch: UrlState) => setState({ ...patch, ...FROM_START })
  return (
    <Page title="Audit">
      <Group gap="sm" align="flex-end">
        <FilterSelect
          label="Kind"
          choices={[
            { value: '', label: 'All kinds' },
            ...ACTIONS.map((one) => ({ value: one, label: ACTION_NAMES[one] })),
          ]}
          value={action[0] ?? ''}
          change={(value) => change({ action: value })}
        />
        <DayRange days={days} change={change} />
        <IdFilters key={`${actor} ${subject} ${isKnown}`} fields={fields} values={{ actor, subject }} change={change} />
      </Group>
      <CursorList
        label="Audit"
        csv={() => csvOf.audit(filter)}
        query={query}
        columns={COLUMNS}
        idOf={({ id }) => id}
        nameOf={({ id }) => `entry ${id}`}
        to={({ user_id }) => (user_id === null ? undefined : places.person(user_id))}
        empty={<Empty title="Nothing here">Choose another filter, or go to the next page.</Empty>}
      />
      <Text size="sm" c="dimmed">
        Newest first. On the host, <Code>npm run banyan -- audit verify</Code> proves that no entry was changed or
        removed.
      </Text>
    </Page>
  )
}
