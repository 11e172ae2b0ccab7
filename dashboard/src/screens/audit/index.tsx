import type { AuditEntry } from '@banyan/client'
import { Code, Group, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import { auditQuery } from '../../api/audit.ts'
import { isNamed, Named } from '../../parts/named.tsx'
import { Id } from '../../parts/id.tsx'
import { IdFilters } from '../../parts/id-filters.tsx'
import { type Column, CursorList } from '../../parts/list-page.tsx'
import { Empty } from '../../parts/outcomes.tsx'
import { Page } from '../../parts/page.tsx'
import { places } from '../../parts/places.ts'
import { wordsOf } from '../../parts/state-badge.tsx'
import { knownIn, textIn, type UrlState } from '../../parts/url-search.ts'
import { useUrlState } from '../../parts/url-state.ts'
import { Time } from '../../parts/when.tsx'

const ACTIONS = ['read', 'change', 'revoke', 'token'] as const
const ACTION_NAMES = { read: 'Reads', change: 'Changes', revoke: 'Revocations', token: 'Tokens' } as const

const FIELDS = [
  { name: 'actor', label: 'Who', placeholder: 'Who: operator:…', width: 220 },
  { name: 'subject', label: 'Id of a record', placeholder: 'Id of a record', width: 220 },
]

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  { title: 'Who', cell: ({ actor }) => <Actor actor={actor} /> },
  {
    title: 'What',
    cell: ({ operation, action }) => (
      <>
        <Breakable name={operation} />
        <div className="quiet">{action}</div>
      </>
    ),
  },
  { title: 'Record', isExtra: true, cell: (entry) => <Concerned {...entry} /> },
  { title: 'Purpose', isExtra: true, cell: ({ purpose }) => purpose ?? '–' },
]

/** The name of an operation, which on a phone is broken before a word and not within one. */
function Breakable({ name }: { name: string }) {
  return name.split(/(?=[A-Z])/).map((word, index) => (
    <Fragment key={index}>
      <wbr />
      {word}
    </Fragment>
  ))
}

/** `kind:id`, `kind:id:person` for the people of a company, or a kind alone. */
function Actor({ actor }: { actor: string }) {
  const [kind = '', id, ...person] = actor.split(':')
  return (
    <>
      {wordsOf(kind)}
      {id !== undefined && (
        <div className="quiet">
          {isNamed(id) ? <Named id={id} /> : <Id id={id} />}
          {person.length > 0 && <div>{person.join(':')}</div>}
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
  const query = useQuery(
    auditQuery({ actor, subject, after: textIn(state['after']), ...(action.length > 0 && { action }) }),
  )
  const change = (patch: UrlState) => setState({ ...patch, after: undefined, row: undefined })
  return (
    <Page title="Audit">
      <Group gap="sm" align="flex-end">
        <NativeSelect
          size="xs"
          aria-label="Kind"
          data={[
            { value: '', label: 'All kinds' },
            ...ACTIONS.map((one) => ({ value: one, label: ACTION_NAMES[one] })),
          ]}
          value={action[0] ?? ''}
          onChange={({ currentTarget: { value } }) => change({ action: value })}
        />
        <IdFilters key={`${actor} ${subject}`} fields={FIELDS} values={{ actor, subject }} change={change} />
      </Group>
      <CursorList
        label="Audit"
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
