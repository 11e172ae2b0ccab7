import { addDays, type Day } from '../../../kernel/date.ts'

/** A time during which a dependant is on a policy, where that is not all its days. A person who returns has another one. */
export type MemberDays = {
  /** The current version of the dependant. */
  id: string
  /** The version that was named first, by which details of the person are kept. */
  person: string
  /** First covered day; null: from the first day of the policy, or while a `join` waits for its acceptance. */
  from: Day | null
  /** Last covered day; null where none is set. */
  to: Day | null
  /** The pending endorsement that asks for a first day, and that day. */
  join?: { id: string; on: Day }
  /** The pending endorsement of the last day, which holds already. */
  leave?: string
  /** The last day that was accepted before that one was asked for; where there is none, left out. */
  accepted?: Day
  /** The last day is over, and `dependantIds` shows it. */
  isOver?: true
}

/** A policy with who is on it: `dependantIds` are those on it on the day up to which it was brought. */
export type Manned = { dependantIds: string[]; memberDays: MemberDays[] | null }

/** Returns true for a time that the benefit provider has not accepted yet. */
export const isAwaited = ({ from, join }: Pick<MemberDays, 'from' | 'join'>): boolean =>
  from === null && join !== undefined

/** Returns the times of a policy's dependants, those on it on all its days first. */
export function listMemberDays({ dependantIds, memberDays }: Manned): MemberDays[] {
  const timed = new Set(memberDays?.map(({ id }) => id))
  const always = dependantIds.filter((id) => !timed.has(id))
  return [...always.map((id) => ({ id, person: id, from: null, to: null })), ...(memberDays ?? [])]
}

/** Returns the times of who is on a policy for some of the days of its term, which its certificate names. */
export const namedInTerm = (policy: Manned & { startDate: Day; endDate: Day }): MemberDays[] =>
  listMemberDays(policy).filter(
    (one) =>
      !isAwaited(one) &&
      (one.from === null || one.from <= policy.endDate) &&
      (one.to === null || one.to >= policy.startDate),
  )

/** Returns the ids of those, each once. */
export const namedIds = (policy: Parameters<typeof namedInTerm>[0]): string[] => [
  ...new Set(namedInTerm(policy).map(({ id }) => id)),
]

/** Returns true when a person is on a policy on one of the days that this covers. */
export const isOnPolicy = (one: MemberDays, day: Day): boolean =>
  !isAwaited(one) && (one.from === null || one.from <= day) && (one.to === null || day <= one.to)

/** Returns the next day on which somebody joins a policy, or is on it no more; null when there is none. */
export function nextMemberDay({ dependantIds, memberDays }: Manned): Day | null {
  const days = (memberDays ?? []).flatMap((one) => dayOfChange(one, dependantIds) ?? [])
  return days.toSorted()[0] ?? null
}

function dayOfChange(one: MemberDays, dependantIds: readonly string[]): Day | null {
  if (one.isOver || isAwaited(one)) return null
  if (!dependantIds.includes(one.id)) return one.from
  return one.to && addDays(one.to, 1)
}

/** Returns a policy that has followed the days of its members until today; the same one where none was due. */
export function atMemberDays<P extends Manned>(policy: P, today: Day): P {
  const next = nextMemberDay(policy)
  return next === null || next > today ? policy : withPeopleOn(policy, today)
}

/** Returns a policy that covers those who are on it today, and no others. */
export function withPeopleOn<P extends Manned>(policy: P, today: Day): P {
  const { memberDays } = policy
  if (memberDays === null) return policy
  // A last day that is moved or taken back is no longer over.
  const days = memberDays.map(
    ({ isOver: _before, ...one }): MemberDays => (one.to !== null && one.to < today ? { ...one, isOver: true } : one),
  )
  const timed = new Set(days.map(({ id }) => id))
  const on = days.filter((one) => isOnPolicy(one, today)).map(({ id }) => id)
  const dependantIds = [...policy.dependantIds.filter((id) => !timed.has(id) || on.includes(id)), ...on]
  return { ...policy, memberDays: days, dependantIds: [...new Set(dependantIds)] }
}

type Decision = { state: 'ACCEPTED' | 'REFUSED' | 'WITHDRAWN'; on: Day | null }

/** Returns the times after the decision of an endorsement; the same ones where it is of nobody's days. */
export const afterDecision = (days: MemberDays[] | null, id: string, { state, on }: Decision): MemberDays[] | null =>
  days &&
  toStored(
    days.flatMap((one) => {
      if (one.join?.id === id) return joined(one, state === 'ACCEPTED' ? (on ?? one.join.on) : null)
      if (one.leave !== id) return [one]
      const { leave: _decided, accepted = null, ...rest } = one
      return [{ ...rest, to: state === 'WITHDRAWN' ? accepted : (on ?? one.to) }]
    }),
  )

/** Returns a time with its first day accepted, or without what was asked for. */
function joined({ join: _decided, ...one }: MemberDays, from: Day | null): MemberDays[] {
  if (from !== null) return [{ ...one, from }]
  return one.from === null ? [] : [one]
}

/** Returns the times once an issue has accepted what was asked for, or the end of a policy has made it moot. */
export const afterSettlement = (days: MemberDays[] | null, isAccepted: boolean): MemberDays[] | null =>
  days &&
  toStored(
    days.flatMap(({ leave: _decided, accepted: _before, ...one }) =>
      one.join ? joined(one, isAccepted ? one.join.on : null) : [one as MemberDays],
    ),
  )

/** Returns the times under the current versions of the dependants. */
export const withCurrentIds = (days: MemberDays[] | null, currentId: (id: string) => string): MemberDays[] | null =>
  days && days.map((one) => ({ ...one, id: currentId(one.id) }))

const toStored = (days: MemberDays[]): MemberDays[] | null => (days.length === 0 ? null : days)
