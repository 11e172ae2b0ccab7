export { endPolicies, type Endings } from './end-policies.ts'
export { followDependant, followUser } from './decide-follow-up.ts'
