export { endPolicies, type Endings } from './end-policies.ts'
export { followDependant, followUser } from './follow-person.ts'
