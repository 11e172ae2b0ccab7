export { emit, recordAndTellUserMove, recordCatalogueMove, recordUserMove } from './record.ts'
