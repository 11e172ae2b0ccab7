export { endPolicies, type Endings } from './end-policies.ts'
export { DEPENDANT_FOLLOWERS, USER_FOLLOWERS } from './decide-follow-up.ts'
