import type { DataKey } from '../kernel/crypto/vault.ts'
import { invalidState } from '../kernel/problem-error.ts'
import type { CallerKind } from '../access/caller.ts'
import { namesOf, wrongCaller } from '../access/permissions.ts'
import { type EventData, type EventType, newEvent, type NewEvent } from './catalogue.ts'
import type { StatusChange } from './history.ts'

export type Transition<State extends string = string> = {
  readonly from: State
  readonly to: State
  readonly who: readonly CallerKind[]
}

type Step<State> = { from: State; to: State; who: CallerKind }

/** Whether a transition of the table would be accepted now; a machine without conditions accepts each. */
export type Accepts<State> = (to: State) => boolean

/**
 * Returns the transition for this caller. Throws 409 `invalid_state` when there is none or only the program can make
 * it, 403 `forbidden` when only other callers can. The 409 lists those that `accepts` accepts.
 */
export function findTransition<T extends Transition>(
  table: readonly T[],
  { from, to, who }: Step<T['from']>,
  accepts: Accepts<T['from']> = () => true,
): T {
  const row = table.find((candidate) => candidate.from === from && candidate.to === to)
  if (!row || isInternal(row, who)) {
    const allowed = allowedTransitions(table, { from, who }).filter((other) => accepts(other))
    throw invalidState({ current: from, allowed })
  }
  if (!row.who.includes(who)) throw wrongCaller(who, row.who.flatMap(namesOf))
  return row
}

export const allowedTransitions = <T extends Transition>(
  table: readonly T[],
  { from, who }: Omit<Step<T['from']>, 'to'>,
): T['from'][] => table.filter((other) => other.from === from && other.who.includes(who)).map(({ to }) => to)

/**
 * Returns true for a transition that only the program makes; for everybody else it is not in the table, because no role
 * would help.
 */
const isInternal = ({ who: allowed }: Transition, who: CallerKind) =>
  who !== 'system' && allowed.every((other) => other === 'system')

/** A record with a status: its owner, and the key that seals reasons. */
export type Subject<State> = {
  id: string
  /** Null for a record that belongs to no user. */
  userId: string | null
  platformId: string | null
  key: DataKey | null
  status: State
}

export type Machine<T extends Transition, Type extends EventType, S> = {
  table: readonly T[]
  event: Type
  /** Returns the payload besides `from` and `to`. */
  ids: (subject: S) => Omit<EventData<Type>, 'from' | 'to'>
}

export const machine = <T extends Transition, Type extends EventType, S>(one: Machine<T, Type, S>) => one

export type Recorded = { history: StatusChange[]; events: NewEvent[] }

type RequestedStep<State> = {
  to: State
  who: CallerKind
  reason?: string | undefined
  accepts?: Accepts<State> | undefined
}

/** Checks a transition against its table and returns its history and events, and the row of the table. Pure. */
export function transition<T extends Transition, Type extends EventType, S>(
  one: Machine<T, Type, S>,
  subject: S & Subject<T['from']>,
  { to, who, reason, accepts }: RequestedStep<T['from']>,
): Recorded & { row: T } {
  const row = findTransition<T>(one.table, { from: subject.status, to, who }, accepts)
  return { row, ...recorded(one, subject, { from: subject.status, to, reason }) }
}

/** Returns the history and events of a new record in its first state. */
export const initialTransition = <T extends Transition, Type extends EventType, S>(
  one: Machine<T, Type, S>,
  subject: S & Subject<T['from']>,
): Recorded => recorded(one, subject, { from: null, to: subject.status })

function recorded<T extends Transition, Type extends EventType, S>(
  { event, ids }: Machine<T, Type, S>,
  subject: S & Subject<T['from']>,
  { from, to, reason }: { from: string | null; to: string; reason?: string | undefined },
): Recorded {
  const { id: entityId, userId, platformId, key } = subject
  return {
    history: [{ userId, entityId, from, to, reason: { text: reason, key } }],
    events: [newEvent(event, { platformId, data: { ...ids(subject), from, to } as EventData<Type> })],
  }
}
