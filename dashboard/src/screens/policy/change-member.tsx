import {
  type Dependant,
  dependantId,
  type InsurancePolicyMembers,
  PreconditionFailedError,
  type SetInsurancePolicyMemberRequest,
} from '@banyan/client'
import { Anchor, List, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Member, membersQuery, setMember } from '../../api/members.ts'
import { allDependantsQuery } from '../../api/people.ts'
import type { PolicyRef } from '../../api/policies.ts'
import { mayWrite } from '../../api/roles.ts'
import { useSession } from '../../api/session.ts'
import { dayField, dayIn } from '../../parts/day-field.ts'
import { JOIN_EVENT, LEAVE_EVENT, lifeEventIn } from '../../parts/life-events.ts'
import { notify } from '../../parts/notices.tsx'
import { Empty, Loaded } from '../../parts/outcomes.tsx'
import { places } from '../../parts/places.ts'
import { type Field, ProblemForm, typed, type Values } from '../../parts/problem-form.tsx'
import { wordsOf } from '../../parts/state-badge.tsx'
import { dayText, today } from '../../parts/texts.ts'
import { linkOf } from '../../parts/url-search.ts'
import { type DayAction, isGone, type PolicyDays } from './member-days.ts'
import { nameOf } from './name-of.ts'

/** Somebody joins, or the day of somebody is changed. */
export type MemberChoice = { what: 'join' } | { what: DayAction; member: Member }

type ChangeSettings = {
  choice: MemberChoice
  members: InsurancePolicyMembers
  at: PolicyRef
  days: PolicyDays
  purpose: string
  close: () => void
}

/** What a dialog is called, and its button. */
export function titleOf(choice: MemberChoice): string {
  if (choice.what === 'join') return 'Let somebody join'
  return titleOfDay(choice.what, choice.member)
}

const titleOfDay = (what: DayAction, { to }: Member): string =>
  ({
    remove: 'Take off',
    first: 'Change the first day',
    'not-joining': 'Take back the first day',
    last: to === null ? 'Let leave' : 'Change the last day',
    staying: 'Take back the last day',
  })[what]

/** Asks what is needed for a change of who is on a policy, and sends it. */
export function ChangeMember(settings: ChangeSettings) {
  const { choice, at, purpose, members } = settings
  const all = useQuery({ ...allDependantsQuery(at.userId, purpose), enabled: choice.what === 'join' })
  if (choice.what !== 'join') return <DayForm {...settings} choice={choice} />
  return (
    <Loaded query={all} lines={4}>
      {(dependants) => <JoinForm {...settings} free={dependants.filter((one) => !isOn(one, members.data))} />}
    </Loaded>
  )
}

/** Whether a dependant is on the policy, or waits to be. */
const isOn = ({ id }: Dependant, members: readonly Member[]): boolean =>
  members.some((one) => (one.id as string) === id && !isGone(one))

const RELATIONS = ['SPOUSE', 'CHILD', 'PARENT', 'PARENT_IN_LAW', 'SIBLING', 'OTHER'] as const
const DEPENDANT = '/dependant_id'
const RELATION: Field = {
  pointer: '/relation',
  label: 'Relation',
  choices: [{ value: '', label: 'Not given' }, ...RELATIONS.map((value) => ({ value, label: wordsOf(value) }))],
}
const FROM = dayField('/from', 'First covered day', { isRequired: true })
const TO = dayField('/to', 'Last covered day', { isRequired: true })
const EVENT_ON = dayField('/event_on', 'Day of the event', {
  hint: 'Of the birth, the marriage and so on, if you know it',
})
const REASON: Field = { pointer: '/reason', label: 'Reason', hint: 'Needed for a day that is long over', isLong: true }

/** Partners cannot go back so far that a reason is asked for. */
const useReason = (): readonly Field[] => (mayWrite(useSession().role) ? [REASON] : [])

function JoinForm({ free, ...settings }: ChangeSettings & { free: readonly Dependant[] }) {
  const { at, days } = settings
  const reason = useReason()
  const register = (
    <Anchor component={Link} size="sm" underline="always" {...linkOf(places.person(at.userId, 'dependants'))}>
      Add a dependant
    </Anchor>
  )
  if (free.length === 0) return <Empty title="All dependants are on it">{register}</Empty>
  const choices = [
    { value: '', label: 'Choose a dependant' },
    ...free.map((one) => ({ value: one.id as string, label: `${nameOf(one)}, born ${dayText(one.date_of_birth)}` })),
  ]
  const who: Field = { pointer: DEPENDANT, label: 'Who', choices, isRequired: true }
  return (
    <MemberForm
      {...settings}
      fields={days.isIssued ? [who, RELATION, FROM, JOIN_EVENT, EVENT_ON, ...reason] : [who, RELATION]}
      initial={{ '/from': today() }}
      submit="Let join"
      requestOf={(values) => {
        const chosen = free.find(({ id }) => id === values[DEPENDANT])
        const relation = RELATIONS.find((known) => known === values['/relation'])
        const from = days.isIssued ? dayAt(values, '/from') : undefined
        const name = chosen ? nameOf(chosen) : ''
        return {
          dependant: dependantId(values[DEPENDANT] ?? ''),
          body: { from, relation, ...(days.isIssued && eventOf(values)) },
          done: from ? `${name} joins on ${dayText(from)}, once the insurer accepts it.` : `${name} is asked for.`,
        }
      }}
    >
      <Text size="sm">
        {days.isIssued
          ? 'The insurer decides: until it accepts, on this day or another, the person is not covered.'
          : 'The insurer is shown who is asked for before it approves.'}{' '}
        Not in the list? {register} first.
      </Text>
    </MemberForm>
  )
}

const EFFECTS: Readonly<Record<DayAction, string>> = {
  remove: 'The person is not asked for any more.',
  first:
    'What waits is taken back, and the new day asked for. Until the insurer accepts it, the person is not covered by it.',
  'not-joining': 'The day is not asked for any more, as if nobody had.',
  last: 'From the next day on the person is not covered, whatever the insurer says. It says what is paid back.',
  staying: 'The person stays, as if nobody had asked for this day.',
}

function DayForm({ choice, ...settings }: ChangeSettings & { choice: Exclude<MemberChoice, { what: 'join' }> }) {
  const { what, member } = choice
  const reason = useReason()
  const title = titleOfDay(what, member)
  const { fields, initial } = formOf(what, member)
  return (
    <MemberForm
      {...settings}
      choice={choice}
      fields={fields.length === 0 ? [] : [...fields, ...reason]}
      initial={initial}
      submit={title}
      isDangerous={what === 'last' || what === 'remove'}
      requestOf={(values) => ({ dependant: dependantId(member.id), ...requestOfDay(what, values, nameOf(member)) })}
    >
      <Text size="sm">
        <b dir="auto">{nameOf(member)}</b>. {EFFECTS[what]}
      </Text>
    </MemberForm>
  )
}

function formOf(what: DayAction, { from, to, asked_from }: Member): { fields: readonly Field[]; initial: Values } {
  if (what === 'first') return { fields: [FROM, JOIN_EVENT, EVENT_ON], initial: { '/from': asked_from ?? from ?? '' } }
  if (what === 'last') return { fields: [TO, LEAVE_EVENT, EVENT_ON], initial: { '/to': to ?? today() } }
  return { fields: [], initial: {} }
}

type Request = { body: SetInsurancePolicyMemberRequest; done: string }

function requestOfDay(what: DayAction, values: Values, name: string): Request {
  if (what === 'first') {
    const from = dayAt(values, '/from')
    const done = `${name} joins on ${dayText(from)}, once the insurer accepts it.`
    return { body: { from, ...eventOf(values) }, done }
  }
  if (what === 'last') {
    const to = dayAt(values, '/to')
    return { body: { to, ...eventOf(values) }, done: `The last covered day of ${name} is ${dayText(to)}.` }
  }
  if (what === 'remove') return { body: { from: null }, done: `${name} is not asked for any more.` }
  return { body: what === 'staying' ? { to: null } : { from: null }, done: 'The day was taken back.' }
}

const dayAt = (values: Values, pointer: string) => dayIn(typed(values, pointer) ?? '', pointer)

function eventOf(values: Values): SetInsurancePolicyMemberRequest {
  const on = typed(values, '/event_on')
  return {
    event: lifeEventIn(values),
    event_on: on === undefined ? undefined : dayIn(on, '/event_on'),
    reason: typed(values, '/reason'),
  }
}

type FormSettings = ChangeSettings & {
  fields: readonly Field[]
  initial: Values
  submit: string
  isDangerous?: boolean
  requestOf: (values: Values) => Request & { dependant: ReturnType<typeof dependantId> }
  children: React.ReactNode
}

/** Decides upon the members that the dialog was opened from; what somebody else has changed meanwhile is shown first. */
function MemberForm({ members, at, purpose, close, requestOf, ...form }: FormSettings) {
  const queries = useQueryClient()
  const query = membersQuery(at, purpose)
  const [seen, see] = useState(members)
  const send = async (values: Values, signal: AbortSignal) => {
    const { done, ...request } = requestOf(values)
    try {
      queries.setQueryData(query.queryKey, await setMember(at, request, { ifMatch: seen, purpose, signal }))
    } catch (error) {
      if (error instanceof PreconditionFailedError) see(await queries.fetchQuery({ ...query, staleTime: 0 }))
      throw error
    }
    notify(done)
    close()
    await Promise.all(
      [['endorsements'], ['policies'], ['policy', at.id]].map((queryKey) => queries.invalidateQueries({ queryKey })),
    )
  }
  return (
    <ProblemForm
      fields={form.fields}
      initial={form.initial}
      submit={form.submit}
      isDangerous={form.isDangerous}
      send={send}
      cancel={close}
      conflict={{ theirs: <Times members={seen.data} /> }}
    >
      {form.children}
    </ProblemForm>
  )
}

/** Who is on the policy now, in short. */
const Times = ({ members }: { members: readonly Member[] }) => (
  <List size="sm">
    {members.map((one, index) => (
      <List.Item key={index}>
        <bdi>{nameOf(one)}</bdi>: {timeText(one)}
      </List.Item>
    ))}
  </List>
)

function timeText({ from, to, asked_from }: Member): string {
  const first = from === null ? [] : [`from ${dayText(from)}`]
  const asked = asked_from === null ? [] : [`asked from ${dayText(asked_from)}`]
  return [...first, ...asked, ...(to === null ? [] : [`to ${dayText(to)}`])].join(', ')
}
