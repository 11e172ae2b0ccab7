export { emit, recordAndTellUserMove, recordCatalogueMove, recordUserMove } from './emit.ts'
