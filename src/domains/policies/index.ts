export { findCover, findDocumentedPolicy, findUploadTarget } from './find-documented-policy.ts'
export { policyRoutes } from './routes.ts'
export { runCalendar } from './run-calendar.ts'
export {
  afterCalendar,
  lastDayOfGrace,
  nextMoveOn,
  POLICY_STATUSES,
  programTransition,
  windowOpensOn,
} from './states.ts'
export { PolicyPath } from './schemas.ts'
export { findPolicy, holdersOfPolicy, isOpen, usesBenefit } from './store.ts'
