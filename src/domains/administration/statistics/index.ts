import { readStatistics } from './read-statistics.ts'

export { countAll } from './count-all.ts'

export const statisticsOperations = [readStatistics]
