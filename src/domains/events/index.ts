export { emit, recordCatalogueMove, recordUserMoves } from './emit.ts'
