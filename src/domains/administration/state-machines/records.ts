import { type Static, Type } from 'typebox'
import type { CallerKind } from '../../../access/caller.ts'
import { KIND_NAMES, namesOf } from '../../../access/permissions.ts'
import { Nullable, OneOf, record } from '../../../kernel/http/schemas.ts'
import { PUBLIC_TYPES } from '../../../record/index.ts'
import { MACHINE_NAMES, type MachineName, MACHINES, type StateMachine } from './states.ts'

/** Who makes transitions, as the API names them. */
const MAKERS = [...KIND_NAMES, 'program'] as const
type Maker = (typeof MAKERS)[number]

const StateTransition = Type.Object(
  {
    from: Type.String({ description: 'State before', examples: ['APPROVED'] }),
    to: Type.String({ description: 'State after', examples: ['ISSUED'] }),
    who: Type.Array(OneOf(MAKERS), {
      description:
        'Who may make it: callers, or the program itself, as a consequence of something else. Records add conditions: `allowed_transitions` of a record is what its reader may do now',
    }),
    by_calendar: Type.Boolean({ description: 'Whether the program makes it on a day that the record determines' }),
    needs_reason: Type.Boolean({ description: 'Whether callers must give a reason' }),
    was_issued: Nullable(
      Type.Boolean({
        description:
          '`true` for policies that were issued before, `false` for those that never were; `null` where it makes no difference',
      }),
    ),
  },
  { title: 'StateTransition', description: 'A transition between two states' },
)

export const StateMachineRecord = record(
  'StateMachine',
  {
    name: OneOf(MACHINE_NAMES, { description: 'The kind of record' }),
    field: Type.String({ description: 'The field of the record that holds the state', examples: ['status'] }),
    initial: Type.String({ description: 'State of a new record', examples: ['PENDING'] }),
    states: Type.Array(Type.String(), { description: 'Every state', examples: [['ACTIVE', 'INACTIVE', 'PENDING']] }),
    transitions: Type.Array(StateTransition, { description: 'Every transition; anything else is a 409' }),
    event: OneOf(PUBLIC_TYPES, { description: 'Type of the event of each transition' }),
  },
  {
    description: 'The states of a kind of record, and the transitions between them',
    examples: [
      {
        name: 'consultation',
        field: 'status',
        initial: 'OPEN',
        states: ['OPEN', 'CLOSED'],
        transitions: [
          {
            from: 'OPEN',
            to: 'CLOSED',
            who: ['platform', 'user', 'benefit_provider'],
            by_calendar: false,
            needs_reason: false,
            was_issued: null,
          },
        ],
        event: 'consultation.status_changed',
      },
    ],
  },
)

/** Nobody without a token makes a transition. */
const listMakers = (kind: CallerKind): Maker[] => (kind === 'system' ? ['program'] : namesOf(kind))

export function presentMachine(name: MachineName): Static<typeof StateMachineRecord> {
  const { field, initial, states, table, event, byCalendar = [] }: StateMachine = MACHINES[name]
  return {
    name,
    field,
    initial,
    states: [...states],
    transitions: table.map(({ from, to, who, needsReason = false, wasIssued = null }) => ({
      from,
      to,
      who: who.flatMap(listMakers),
      by_calendar: byCalendar.some((step) => step.from === from && step.to === to),
      needs_reason: needsReason,
      was_issued: wasIssued,
    })),
    event,
  }
}

export const tags = ['State machines']
