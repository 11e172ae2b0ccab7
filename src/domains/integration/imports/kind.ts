import type { SingleCall } from '../../../record/index.ts'

/** The cells of a row that say something, by column. */
export type Cells = Readonly<Record<string, string>>

/** The ids that the calls of a row have found or made. */
export type Ids = { user_id?: string; insurance_policy_id?: string; record_id?: string; dependant_ids?: string[] }

export type Column = {
  meaning: string
  example: string
  /** A file without the column is refused. */
  isRequired?: true
  /** Spreadsheets change days and long numbers; these get words of their own. */
  looks?: 'day' | 'digits'
}

/** One call of a row. */
export type Step = {
  address: string
  /** Returns false where this row has no such call. */
  when?: (cells: Cells) => boolean
  input: (cells: Cells, ids: Ids) => Omit<SingleCall, 'address' | 'key'>
  /** What later calls and the report need of the response; undefined when it has not found what the row names. */
  take: (response: never, cells: Cells) => Ids | undefined
  /** The column of each member of the input that is not named like its column, by the beginning of its pointer. */
  columns?: Readonly<Record<string, string>>
  /** The column of an error that names no member. */
  column: (cells: Cells) => string
  /** The column that names whose record it is about, where that can be missing. */
  owner?: (cells: Cells) => string
  /** It makes something each time it is called, so that a repetition has to be known by a key. */
  isKeyed?: true
  /** It is about a user who may exist only after the call before: until then there is nothing to check. */
  isOfNewUser?: true
}

/** What the rows of a file are, for who reads it. */
export type FileKind = {
  columns: Readonly<Record<string, Column>>
  /** Of each group, a file has one at least: a column, or several that belong together. */
  oneOf?: readonly (readonly string[])[]
  /** What two rows may not share; not said where that shows later. */
  identity?: (cells: Cells) => string
}

/** What an import does with each row. */
export type Kind = FileKind & { steps: readonly Step[] }
