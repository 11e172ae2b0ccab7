export { endPolicies, type Endings } from './end-policies.ts'
export { LINKED_TO_DEPENDANT, LINKED_TO_USER } from './decide-propagation.ts'
