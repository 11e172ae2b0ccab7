import type { DataKey } from '../../../kernel/crypto/vault.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { FileRow } from './file-row.ts'
import { CHUNK, insertChunks } from './store.ts'

/** So many rows are worked through between two looks at whose turn it is, and again after a kill. */
const CHUNK_ROWS = 100
/** Rows that have long cells make smaller chunks. */
const CHUNK_CHARACTERS = 256 * 1_024

/** Chunks that are inserted together. */
const CHUNKS_AT_ONCE = 8

export type KeptRows = { uploadId: string; rowCount: number; chunkCount: number }

type Upload = { uploadId: string; key: DataKey }

/** Stores the rows of a file, sealed, as they come: a few chunks are in memory. */
export async function keepRows(
  db: Queryable,
  { uploadId, key }: Upload,
  rows: AsyncIterable<FileRow>,
): Promise<KeptRows> {
  const counted = { uploadId, rowCount: 0, chunkCount: 0 }
  let chunk: FileRow[] = []
  let characters = 0
  let sealed: { chunk: number; sealed: string }[] = []
  const seal = () => {
    const at = { uploadId, chunk: counted.chunkCount++ }
    sealed.push({ chunk: at.chunk, sealed: CHUNK.seal(key, at, chunk) })
    chunk = []
    characters = 0
  }
  const insert = async () => {
    await insertChunks(db, uploadId, sealed)
    sealed = []
  }
  for await (const row of rows) {
    chunk.push(row)
    counted.rowCount++
    for (const name in row.cells) characters += (row.cells[name] ?? '').length
    if (chunk.length === CHUNK_ROWS || characters >= CHUNK_CHARACTERS) seal()
    if (sealed.length === CHUNKS_AT_ONCE) await insert()
  }
  if (chunk.length > 0) seal()
  if (sealed.length > 0) await insert()
  return counted
}
