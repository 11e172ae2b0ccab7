import { enrolPolicy } from './enrol-policy.ts'
import { listAllPolicies } from './list-all-policies.ts'
import { listPolicies } from './list-policies.ts'
import { readPolicy } from './read-policy.ts'
import { readPolicyStatus } from './read-policy-status.ts'
import { searchPolicies } from './search-policies.ts'
import { setPolicyStatus } from './set-policy-status.ts'

export { correctedEvent, createCorrection, LINKED_CORRECTIONS } from './corrected-event.ts'
export { recountCalendar } from './recount-calendar.ts'
export { runCalendar } from './run-calendar.ts'
export {
  afterCalendar,
  CALENDAR_STEPS,
  nextMoveOn,
  POLICY_MACHINE,
  POLICY_STATUSES,
  programTransition,
  WAITING_STATUSES,
} from './states.ts'
export { PRIVATE } from './unseal-policy.ts'
export { InsurancePolicyRecord as InsurancePolicySchema, PolicyPath, presentPolicy } from './records.ts'
export { ERASE_COVERED, ERASE_NUMBERS } from './change-store.ts'
export { holdersOfPolicy, isOpen, findPolicies as listPolicies, policyInPath, usesBenefit } from './store.ts'

export const policyOperations = [
  enrolPolicy,
  listPolicies,
  listAllPolicies,
  searchPolicies,
  readPolicy,
  readPolicyStatus,
  setPolicyStatus,
]
