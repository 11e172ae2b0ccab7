import { readStatistics } from './read-statistics.ts'

export { countAll, countFailedWallets } from './store.ts'

export const statisticsOperations = [readStatistics]
