import { readCoverage } from './read-coverage.ts'
import { searchMembers } from './search-members.ts'

export { everyPolicyOfGroup } from './group-store.ts'
export { presentGroupPolicy } from './search-members.ts'

export const coverageOperations = [readCoverage, searchMembers]
