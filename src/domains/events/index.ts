export { emit, recordAndTellUserMove, recordCatalogueMove, recordUserMoves } from './record.ts'
