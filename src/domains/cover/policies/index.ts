import type { FindPersons } from './add-assignees.ts'
import { assignPolicy } from './assign-policy.ts'
import { enrolPolicy } from './enrol-policy.ts'
import { listAllPolicies } from './list-all-policies.ts'
import { listPolicies } from './list-policies.ts'
import { type FindColleagues, listPolicyAssignees } from './list-policy-assignees.ts'
import { readPolicy } from './read-policy.ts'
import { readPolicyEnd } from './read-policy-end.ts'
import { readPolicyAssignee } from './read-policy-assignee.ts'
import { readPolicyStatus } from './read-policy-status.ts'
import { releasePolicy } from './release-policy.ts'
import { searchPolicies } from './search-policies.ts'
import { setPolicyEnd } from './set-policy-end.ts'
import { setPolicyStatus } from './set-policy-status.ts'
import { withdrawPolicyEnd } from './withdraw-policy-end.ts'

export { correctedEvent, createCorrection, LINKED_CORRECTIONS } from './corrected-event.ts'
export { recountCalendar } from './recount-calendar.ts'
export { runCalendar } from './run-calendar.ts'
export { sendNotices } from './send-notices.ts'
export {
  afterCalendar,
  awaitReissue,
  CALENDAR_STEPS,
  nextDayOf,
  POLICY_MACHINE,
  POLICY_STATUSES,
  type PolicyStatus,
  programTransition,
  storedDays,
  WAITING_STATUSES,
} from './states.ts'
export { listMemberDays, type MemberDays, withCurrentIds } from './list-member-days.ts'
export { ALWAYS, type Coverage, COVERAGE_REASONS, coverageOn, type PersonTime } from './coverage-on.ts'
export { coverDays } from './cover-days.ts'
export { EXPIRY, expiryText } from './expiry-store.ts'
export { personFields, presentDependantOnPolicy, presentUserOnPolicy } from './present-dependant-on-policy.ts'
export { PRIVATE } from './unseal-policy.ts'
export { applyOnce, BATCH, workOff } from './work-off.ts'
export { termOfIssue } from './copy-plan.ts'
export {
  InsurancePolicyRecord as InsurancePolicySchema,
  type Policy,
  PolicyPath,
  type Premium,
  presentPolicy,
  presentPremium,
} from './records.ts'
export { InsurancePolicyEndRecord as InsurancePolicyEndSchema, presentEnd } from './present-end.ts'
export { END_REASON, listEnds } from './end-store.ts'
export { END_CODES } from './decide-end.ts'
export { ERASE_ASSIGNEES } from './assignee-store.ts'
export { ERASE_COVERED, ERASE_NUMBERS } from './change-store.ts'
export {
  FOUND,
  unsealFound,
  type Row as FoundRow,
  holdersOfPolicy,
  isOpen,
  findPolicies as listPolicies,
  policyInPath,
  usesBenefit,
} from './store.ts'

/** Administration imports cover, so the app passes how people who log in are found. */
type FindPeople = { findPersons: FindPersons; findColleagues: FindColleagues }

export const policyOperations = ({ findPersons, findColleagues }: FindPeople) => [
  enrolPolicy,
  listPolicies,
  listAllPolicies(findPersons),
  searchPolicies(findPersons),
  listPolicyAssignees(findColleagues),
  readPolicy,
  readPolicyStatus,
  setPolicyStatus,
  readPolicyEnd,
  setPolicyEnd,
  withdrawPolicyEnd,
  readPolicyAssignee(findPersons),
  assignPolicy(findPersons),
  releasePolicy,
]
