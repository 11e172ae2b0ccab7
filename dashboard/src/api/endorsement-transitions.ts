import { TRANSITIONS } from '../generated/tables.ts'
import { described, type Transition } from './transitions.ts'

type Decision = (typeof TRANSITIONS.endorsement)[number]['to']
export type EndorsementTransition = Transition<'REQUESTED' | Decision> & { to: Decision }

/** The decisions on an endorsement. */
export const ENDORSEMENT_TRANSITIONS = described(TRANSITIONS.endorsement, {
  'REQUESTED → ACCEPTED': {
    label: 'Accept',
    effect:
      'The decision on the last one of a policy makes its next certificate, but for an end. The term stays as it is.',
  },
  'REQUESTED → REFUSED': {
    label: 'Refuse',
    effect: 'The last certificate stays in force, and a corrected person stays corrected. This cannot be undone.',
    isDangerous: true,
    needsReason: true,
  },
  'REQUESTED → WITHDRAWN': {
    label: 'Take back',
    effect: 'The policy goes on as if nobody had asked.',
  },
}) as readonly EndorsementTransition[]
