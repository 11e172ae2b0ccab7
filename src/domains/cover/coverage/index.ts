import { readCoverage } from './read-coverage.ts'
import { searchMembers } from './search-members.ts'

export const coverageOperations = [readCoverage, searchMembers]
