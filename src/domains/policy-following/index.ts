export { followDependant } from './follow-dependant.ts'
