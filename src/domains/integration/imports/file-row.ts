import type { Cells } from './kind.ts'

/** What is wrong with a row: the column, the code of the single call, and what to do. Never what the cell says. */
export type RowError = { column: string | null; code: string; detail: string; recordId?: string }

/** A row of the file as its import keeps it: its number, which is that of a spreadsheet, its cells, and what is wrong with its form. */
export type FileRow = { number: number; cells: Cells; rowErrors?: RowError[] }
