import { statement, type Statement } from './database.ts'
import { numbered } from './write-shape.ts'

/** Returns a statement whose text names its values; they are sent in the order of `names`. */
export const namedStatement = (name: string, names: readonly string[], text: string): Statement =>
  statement(name, numbered(text, names))
