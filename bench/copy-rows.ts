import pg from 'pg'

type CopyConnection = { sendCopyFromChunk(bytes: Buffer): void; endCopyFrom(): void }

/** A `copy … from stdin`, whose rows are all sent at once. */
class CopyIn extends pg.Query {
  readonly #rows: Buffer

  constructor(text: string, rows: Buffer, done: (error: Error | undefined) => void) {
    super(text, done)
    this.#rows = rows
  }

  /** Called by the client. */
  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.#rows)
    connection.endCopyFrom()
  }
}

/** Adds rows by `copy`, the columns being those of the first row. */
export function copyRows(client: pg.Client, table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {})
  const lines = rows.map((row) => columns.map((column) => fieldOf(row[column])).join('\t'))
  return new Promise((resolve, reject) => {
    const text = `copy ${table} (${columns.join(', ')}) from stdin`
    client.query(new CopyIn(text, Buffer.from(`${lines.join('\n')}\n`), (error) => (error ? reject(error) : resolve())))
  })
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return '\\N'
  const list = (items: unknown[]) => `{${items.map((item) => JSON.stringify(item)).join(',')}}`
  const text = typeof value === 'string' ? value : Array.isArray(value) ? list(value) : JSON.stringify(value)
  return text.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] as string)
}
