export { emit, recordAndTellUserMove, recordCatalogueMove, recordUserMoves } from './emit.ts'
