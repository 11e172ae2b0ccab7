export { newEvent } from './catalogue.ts'
export { type By, type Change, type Decision, recordedWrite, type RecordedWrite, unchanged } from './change.ts'
export { RequiredIdempotencyKey } from './idempotency.ts'
export { commit } from './commit.ts'
export { toEnvelope } from './envelope.ts'
export { openReason, sinceText } from './history.ts'
export { changed, changedPart, created, perform, responding } from './perform.ts'
export {
  allowedTransitions,
  beginning,
  findTransition,
  machine,
  type Recorded,
  type Subject,
  transition,
  type Transition,
} from './transition.ts'
