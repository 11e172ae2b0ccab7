export { emit, type EventType, recordAndTellUserMove, recordCatalogueMove, recordUserMove } from './record.ts'
