/** A comment, a text in quotes, a body between dollars, the end of a statement, or anything else. */
const PIECE = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[^]/g

/** The statements of a text of SQL, without comments. */
export function statementsIn(sql: string): string[] {
  const texts = ['']
  for (const [piece] of sql.matchAll(PIECE)) {
    if (piece === ';') texts.push('')
    else if (!piece.startsWith('--')) texts[texts.length - 1] += piece
  }
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}
