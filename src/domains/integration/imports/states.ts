/** Both work through the file; a check alone is DONE after CHECKING, and STOPPED is what nobody could finish. */
export const IMPORT_STATES = ['CHECKING', 'WRITING', 'DONE', 'STOPPED'] as const
export type ImportState = (typeof IMPORT_STATES)[number]

/** What became of a row: it is done, the check found an error, or it passed the check and its call failed afterwards. */
export const ROW_OUTCOMES = ['DONE', 'REJECTED', 'LOST'] as const
export type RowOutcome = (typeof ROW_OUTCOMES)[number]

export const isUnfinished = (state: ImportState): boolean => state === 'CHECKING' || state === 'WRITING'
