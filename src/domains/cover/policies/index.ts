export { findCover, findDocumentedPolicy, findUploadTarget } from './find-documented-policy.ts'
export { policyRoutes } from './routes.ts'
export { recountCalendar } from './recount-calendar.ts'
export { runCalendar } from './run-calendar.ts'
export {
  afterCalendar,
  lastDayOfGrace,
  nextMoveOn,
  POLICY_STATUSES,
  programTransition,
  windowOpensOn,
} from './states.ts'
export { PRIVATE } from './open-policy.ts'
export { presentPolicy } from './present.ts'
export { InsurancePolicy as InsurancePolicySchema, PolicyPath } from './schemas.ts'
export {
  ERASE_COVERED,
  ERASE_NUMBERS,
  holdersOfPolicy,
  isOpen,
  listPolicies,
  policyInPath,
  usesBenefit,
} from './store.ts'
