export { AUDIT_ACTIONS, AUDIT_ENTRY, type AuditAction, type EntryRow, toEntryRow } from './audit.ts'
export {
  EVENT_RETENTION_DAYS,
  EVENT_TYPES,
  EVENTS,
  type EventType,
  newEvent,
  type NewEvent,
  PERSON_FIELDS,
  type PersonField,
  PUBLIC_TYPES,
  typesFor,
  VISIBLE_TYPES,
} from './catalogue.ts'
export { type Author, type Change, type Decision, recordedWrite, unchanged } from './change.ts'
export type { ApiDeps, Deps } from './deps.ts'
export { choice, entity, field, internal, joined } from './entity.ts'
export { ERASE_RESPONSES, LINKED_ERASE_RESPONSES, RequiredIdempotencyKey } from './idempotency.ts'
export { applyWithRetry } from './apply-with-retry.ts'
export { eventSchemas, type EventValues, exampleOfEvent, titleOfEvent } from './event-schemas.ts'
export { STORED_EVENT, toEnvelope } from './envelope.ts'
export {
  CHANGED,
  changesErrors,
  changesPageSchema,
  cursorQuery,
  listOfChanges,
  oldestFirst,
  pageOfChanges,
} from './list-changes.ts'
export { type JobHandlers, type JobName, OPEN_ACCOUNT, PROVISION_WALLET } from './jobs.ts'
export {
  findLastReason,
  findLastReasons,
  CATALOGUE_REASON,
  sinceAllText,
  sinceText,
  type StatusChange,
  USER_REASON,
} from './history.ts'
export { createSingleCalls, type OnBehalf, type SingleCall, type SingleCalls } from './single-calls.ts'
export { type Call, mount, operation, operationIn } from './operation.ts'
export { changed, changedPart, created, addKeyErrors, responding } from './handle-write.ts'
export { EVENTS_CHANNEL, createReader, type OutboxEvent } from './relay.ts'
export {
  allowedTransitions,
  initialTransition,
  findTransition,
  machine,
  type Recorded,
  type Subject,
  transition,
  type Transition,
} from './transition.ts'
