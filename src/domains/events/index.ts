export { emit, recordAndTellUserMove, recordUserMoves } from './emit.ts'
