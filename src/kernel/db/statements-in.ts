/** A comment, a quoted string, a dollar-quoted body, the end of a statement, or anything else. */
const PIECE = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[^]/g

/** Returns the statements of an SQL text, without comments. */
export function statementsIn(sql: string): string[] {
  const texts = ['']
  for (const [piece] of sql.matchAll(PIECE)) {
    if (piece === ';') texts.push('')
    else if (!piece.startsWith('--')) texts[texts.length - 1] += piece
  }
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}
