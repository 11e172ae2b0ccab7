import type { Static } from 'typebox'
import type { Day } from '../../../kernel/date.ts'
import { nextVersion } from '../../../kernel/db/version.ts'
import { newId } from '../../../kernel/id.ts'
import { conflict, type FieldError, invalid, limitReached } from '../../../kernel/problem-error.ts'
import type { Author, Recorded } from '../../../record/index.ts'
import { correctedEvent } from '../policies/corrected-event.ts'
import { checkBackdating, estimateRefund } from '../policies/decide-end.ts'
import { termOver } from '../policies/find-rejection.ts'
import { isAwaited, listMemberDays, type MemberDays, namedIds, withPeopleOn } from '../policies/list-member-days.ts'
import { DEPENDANTS_MAX, type MemberDetails, type Policy } from '../policies/records.ts'
import { afterCalendar, awaitReissue, isOver } from '../policies/states.ts'
import type { MemberInput } from './present-members.ts'
import { type DecidedRow, decisionOn, requestEndorsement } from './settle.ts'
import type { EndorsementKind } from './states.ts'

type Input = Static<typeof MemberInput>
/** The current version of a dependant. */
export type Person = { id: string; born: Day }
type Now = { author: Author; today: Day; endorsementDays: number; backdateDays: number }

type Withdrawal = { id: string; kind: EndorsementKind }
type Request = { kind: EndorsementKind; on: Day; id: string }
/** The times of the dependant after the change, what is asked of the benefit provider for it, and what is taken back. */
type Plan = { times: MemberDays[]; requests: Request[]; withdrawn: Withdrawal[] }

export type DecidedMember = Recorded & {
  policy: Policy
  requested: ReturnType<typeof requestEndorsement>['row'][]
  decided: DecidedRow[]
}

/**
 * Decides from when to when a dependant is on a policy. Pure. Returns the endorsement where it is only taken back, undefined where
 * nothing changes. Throws 409 `term_over` once the policy has ended, `not_withdrawable` for what was accepted; 422 for a day that cannot be.
 */
export function decideMember(
  stored: Policy,
  person: Person,
  input: Input,
  now: Now,
): DecidedMember | { withdrawn: string } | undefined {
  const late = afterCalendar(stored, now.today)
  if (isOver(late.policy)) throw termOver(stored.endDate)
  const known = listMemberDays(late.policy).filter(({ id }) => id === person.id)
  const plan =
    late.policy.issue === 0
      ? planApplication(late.policy, person, known, input)
      : planDays(known, person, input, now.today)
  const [only] = plan.withdrawn
  if (only !== undefined && plan.requests.length === 0) return { withdrawn: only.id }
  const errors = plan.requests.flatMap((one) =>
    checkDay(late.policy, { person, input, request: one, times: plan.times }, now),
  )
  if (errors.length > 0) throw invalid(errors)
  const details = detailsOf(late.policy, person, { times: plan.times, input })
  if (plan.times === known && details === undefined) return undefined
  return change(late, { ...plan, details, person }, input, now)
}

/** Before the first issue a dependant is asked for from the first day, or not at all. */
function planApplication(policy: Policy, { id }: Person, known: MemberDays[], { from, to }: Input): Plan {
  const wrong = (pointer: string, detail: string) => invalid([{ pointer, code: 'not_allowed', detail }])
  if (to)
    throw wrong('/to', 'Before the first issue nobody leaves: send `from` as `null`, and the person is not asked for.')
  if (from && from !== policy.startDate)
    throw wrong('/from', `Before the first issue everybody is asked for from ${policy.startDate}: leave it out.`)
  if (from === null) return { times: known.length === 0 ? known : [], requests: [], withdrawn: [] }
  const times = known.length === 0 ? [{ id, person: id, from: null, to: null }] : known
  return { times, requests: [], withdrawn: [] }
}

/** On a policy that was issued each day is an endorsement. */
function planDays(known: MemberDays[], person: Person, { from, to }: Input, today: Day): Plan {
  const last = known.at(-1)
  const isJoining = from !== undefined || (last === undefined && to === undefined)
  const joined = isJoining ? planJoin(last, person, from === undefined ? today : from) : keep(last)
  const left = to === undefined ? keep(joined.time) : planLeave(joined.time, to)
  const isSame = left.time === last
  const before = joined.isNew ? known : known.slice(0, -1)
  return {
    times: isSame ? known : [...before, ...(left.time ? [left.time] : [])],
    requests: [...joined.requests, ...left.requests],
    withdrawn: [...joined.withdrawn, ...left.withdrawn],
  }
}

type Step = { time: MemberDays | undefined; isNew?: true; requests: Request[]; withdrawn: Withdrawal[] }

const keep = (time: MemberDays | undefined): Step => ({ time, requests: [], withdrawn: [] })

const holds = () =>
  conflict(
    'The benefit provider has accepted this day already. Send another day instead of `null`, or a new first day.',
    {
      reason: 'not_withdrawable',
    },
  )

function planJoin(last: MemberDays | undefined, { id }: Person, on: Day | null): Step {
  const join = on === null ? undefined : { id: newId('edo'), on }
  const requests = join ? [{ kind: 'JOIN' as const, on: join.on, id: join.id }] : []
  const isBack = last && last.to !== null && on !== null && on > last.to
  if (!last || isBack) {
    if (!join) return keep(last)
    const person = last?.person ?? id
    return { time: { id, person, from: null, to: null, join }, isNew: true, requests, withdrawn: [] }
  }
  const asked = last.join
  if (on === (asked?.on ?? last.from) && (asked || on !== null)) return keep(last)
  const withdrawn = asked ? [{ id: asked.id, kind: 'JOIN' as const }] : []
  if (join && (asked || last.from !== null)) return { time: { ...last, join }, requests, withdrawn }
  if (on === null && asked) return { time: undefined, requests: [], withdrawn }
  if (on === null) throw holds()
  const detail = 'The person is on the policy from its first day: leave it out.'
  throw invalid([{ pointer: '/from', code: 'not_allowed', detail }])
}

function planLeave(time: MemberDays | undefined, to: Day | null): Step {
  if (!time || isAwaited(time)) {
    if (to === null) return keep(time)
    throw invalid([
      { pointer: '/to', code: 'not_allowed', detail: 'The person is not on the policy yet. Take back `from` instead.' },
    ])
  }
  if (to === time.to) return keep(time)
  const { leave, isOver: _past, accepted: before = null, ...rest } = time
  const withdrawn = leave === undefined ? [] : [{ id: leave, kind: 'LEAVE' as const }]
  const accepted = leave === undefined ? time.to : before
  if (accepted !== null && (to === null ? leave === undefined : to > accepted)) throw holds()
  if (to === null) return { time: { ...rest, to: accepted }, requests: [], withdrawn }
  const id = newId('edo')
  const left = { ...rest, to, leave: id, ...(accepted !== null && { accepted }) }
  return { time: left, requests: [{ kind: 'LEAVE', on: to, id }], withdrawn }
}

type Dated = { person: Person; input: Input; request: Request; times: readonly MemberDays[] }

function checkDay(policy: Policy, { person, input, request: { kind, on }, times }: Dated, now: Now): FieldError[] {
  const pointer = kind === 'JOIN' ? '/from' : '/to'
  const wrong = (code: 'too_small' | 'too_large', detail: string): FieldError[] => [{ pointer, code, detail }]
  const last = policy.endsOn ?? policy.endDate
  if (on > last) return wrong('too_large', `Must be ${last} or earlier, the last covered day.`)
  if (on < policy.coveredFrom)
    return wrong('too_small', `Must be ${policy.coveredFrom} or later, the first covered day.`)
  if (kind === 'JOIN' && on < person.born)
    return wrong('too_small', `Must be ${person.born} or later, the day of birth.`)
  const from = kind === 'LEAVE' && times.find(({ to }) => to === on)?.from
  if (from && on < from) return wrong('too_small', `Must be ${from} or later, the first covered day of the person.`)
  const { author, today, backdateDays } = now
  const running = today < policy.startDate ? policy.coveredFrom : policy.startDate
  return checkBackdating(
    { pointer, on, reason: input.reason ?? undefined },
    { who: author.caller.kind, today, backdateDays, running },
  )
}

/** Returns what the policy knows of the person with this change; undefined when that stays the same. */
function detailsOf(
  { private: { members = {} } }: Policy,
  { id }: Person,
  { times, input: { relation, gender } }: { times: readonly MemberDays[]; input: Input },
): Record<string, MemberDetails> | undefined {
  const key = times.at(-1)?.person ?? id
  const known = members[key] ?? {}
  const isSame = (relation ?? known.relation) === known.relation && (gender ?? known.gender) === known.gender
  if (isSame || times.length === 0) return undefined
  return { ...members, [key]: { ...known, ...(relation && { relation }), ...(gender && { gender }) } }
}

type Change = Plan & { details: Record<string, MemberDetails> | undefined; person: Person }

function change(late: ReturnType<typeof afterCalendar<Policy>>, plan: Change, input: Input, now: Now): DecidedMember {
  const { today, author } = now
  const { person, details } = plan
  const others = (late.policy.memberDays ?? []).filter(({ id }) => id !== person.id)
  const manned = withTimes(late.policy, { others, times: plan.times, id: person.id })
  if (manned.dependantIds.length > DEPENDANTS_MAX)
    throw limitReached(`A policy has at most ${DEPENDANTS_MAX} dependants.`)
  const counted = {
    ...withPeopleOn(manned, today),
    personsVersion: late.policy.personsVersion + 1,
    ...(details && { private: { ...late.policy.private, members: details } }),
  }
  const isIssued = counted.issue > 0
  const requests: Request[] =
    isIssued && plan.requests.length === 0 ? [{ kind: 'CORRECTION', on: today, id: newId('edo') }] : plan.requests
  const reissue = isIssued ? awaitReissue(counted, today) : { policy: counted, history: [], events: [] }
  const policy = nextVersion(reissue.policy, author.at)
  const withdrawals = plan.withdrawn.map((one) =>
    decisionOn(
      policy,
      { ...one, state: 'REQUESTED' },
      { state: 'WITHDRAWN', issue: null, who: author.caller.kind, at: author.at },
    ),
  )
  const requested = requests.map((one) => requestEndorsement(policy, toRequest(policy, one, { person, input }), now))
  const all = [...withdrawals, ...requested]
  return {
    policy,
    requested: requested.map(({ row }) => row),
    decided: withdrawals.map(({ row }) => row),
    history: [...late.history, ...reissue.history, ...all.flatMap(({ history }) => history)],
    events: [
      ...late.events,
      ...(isIssued ? [] : [correctedEvent(policy, { id: person.id, fields: [] })]),
      ...reissue.events,
      ...all.flatMap(({ events }) => events),
    ],
  }
}

/** Returns a policy with the times of one dependant; without any, the person is not on it. */
function withTimes(
  policy: Policy,
  { others, times, id }: { others: MemberDays[]; times: MemberDays[]; id: string },
): Policy {
  const isOn = policy.dependantIds.includes(id)
  const isTaken = times.length > 0 && policy.issue === 0
  const dependantIds = times.length === 0 ? policy.dependantIds.filter((one) => one !== id) : policy.dependantIds
  const days = [...others, ...times]
  return {
    ...policy,
    dependantIds: isTaken && !isOn ? [...dependantIds, id] : dependantIds,
    memberDays: days.length === 0 ? null : days,
  }
}

function toRequest(policy: Policy, { kind, on, id }: Request, { person, input }: { person: Person; input: Input }) {
  const { startDate, endDate, premiumAnnualPaise: annualPaise } = policy
  const days = kind === 'LEAVE' ? estimateRefund([{ startDate, endDate, annualPaise }], on) : null
  const persons = namedIds(policy).length + 1
  return {
    id,
    kind,
    personId: person.id,
    personsVersion: policy.personsVersion,
    on,
    event: input.event ?? null,
    eventOn: input.event_on ?? null,
    refundDays: days?.refundDays ?? null,
    refundEstimatePaise: days && Math.round(days.refundEstimatePaise / persons),
  }
}
