import assert from 'node:assert/strict'
import type pg from 'pg'

/** What the driver's connection can send while rows are copied to the server. */
type CopyConnection = { sendCopyFromChunk(chunk: Buffer): void; endCopyFrom(): void }

/** A statement that the driver sends as it is; resolves to how many rows were copied. */
class Copy {
  readonly ended = Promise.withResolvers<number>()
  readonly text: string
  private count = 0

  constructor(text: string) {
    this.text = text
  }
  submit(connection: pg.Connection): void {
    connection.query(this.text)
  }
  handleCommandComplete({ text }: { text: string }): void {
    this.count = Number(/^COPY (\d+)$/.exec(text)?.[1])
  }
  handleReadyForQuery(): void {
    this.ended.resolve(this.count)
  }
  handleError(error: Error): void {
    this.ended.reject(error)
  }
}

class CopyOut extends Copy {
  readonly chunks: Buffer[] = []

  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.chunks.push(Buffer.from(chunk)) // the driver reads the next ones into the same memory
  }
}

class CopyIn extends Copy {
  readonly chunks: readonly Buffer[]

  constructor(text: string, chunks: readonly Buffer[]) {
    super(text)
    this.chunks = chunks
  }
  handleCopyInResponse(connection: CopyConnection): void {
    for (const chunk of this.chunks) connection.sendCopyFromChunk(chunk)
    connection.endCopyFrom()
  }
}

type Way = { source: pg.Client; target: pg.Client; query: string; into: string }

/**
 * Copies the rows of a query to a table of another database, all in memory, in the text that PostgreSQL writes and reads. Returns
 * their number.
 */
export async function copyRows({ source, target, query, into }: Way): Promise<number> {
  const out = source.query(new CopyOut(`copy (${query}) to stdout`))
  const read = await out.ended.promise
  const written = await copyIn(target, into, out.chunks)
  assert.equal(written, read, 'every row is copied')
  return written
}

/** Adds rows, in the text that PostgreSQL reads; `into` is a table with its columns. Returns their number. */
export const copyIn = (client: pg.Client, into: string, chunks: readonly Buffer[]): Promise<number> =>
  client.query(new CopyIn(`copy ${into} from stdin`, chunks)).ended.promise
