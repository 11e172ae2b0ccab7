import { statement, type Statement } from './database.ts'
import { checkNamed, numbered, toParameter } from './write-shape.ts'

/** Returns a statement whose text names its values; they are sent in the order of `names`. */
export function namedStatement(name: string, names: readonly string[], text: string): Statement {
  const of = { statement: name, names }
  const sent = numbered(text, of)
  checkNamed(sent, of, toParameter)
  return statement(name, sent)
}
