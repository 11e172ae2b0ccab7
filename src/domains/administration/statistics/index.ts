import { readStatistics } from './read-statistics.ts'

export { countAll } from './store.ts'

export const statisticsOperations = [readStatistics]
