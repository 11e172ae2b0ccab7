import type { DataKey } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { FileRow } from './file-row.ts'
import { CHUNK, insertChunk } from './store.ts'

/** So many rows are worked through between two looks at whose turn it is, and again after a kill. */
const CHUNK_ROWS = 100
/** Rows that have long cells make smaller chunks. */
const CHUNK_CHARACTERS = 256 * 1_024

export type KeptRows = { uploadId: string; rowCount: number; chunkCount: number }

type Upload = { uploadId: string; key: DataKey }

/** Stores the rows of a file, sealed, as they come: one chunk is in memory. */
export async function keepRows(
  db: Queryable,
  { uploadId, key }: Upload,
  rows: AsyncIterable<FileRow>,
): Promise<KeptRows> {
  const counted = { uploadId, rowCount: 0, chunkCount: 0 }
  let chunk: FileRow[] = []
  let characters = 0
  const keep = async () => {
    const at = { uploadId, chunk: counted.chunkCount++ }
    await insertChunk(db, { ...at, sealed: CHUNK.seal(key, at, chunk) })
    chunk = []
    characters = 0
  }
  for await (const row of rows) {
    chunk.push(row)
    counted.rowCount++
    for (const name in row.cells) characters += (row.cells[name] ?? '').length
    if (chunk.length === CHUNK_ROWS || characters >= CHUNK_CHARACTERS) await keep()
  }
  if (chunk.length > 0) await keep()
  return counted
}
