export { followDependant, followUser } from './follow-person.ts'
