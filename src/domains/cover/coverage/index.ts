import { readCoverage } from './read-coverage.ts'

export const coverageOperations = [readCoverage]
