import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Connection,
  createImport,
  type CreateImportQuery,
  listImportRows,
  readImport,
} from '../client/src/operations.ts'
import type { Import, ImportRow } from '../client/src/index.ts'
import { permanent } from './listen.ts'

/** How long a connection may take for the whole file. */
const UPLOAD_MS = 30_000
const POLL_MS = 1_000

export type ImportSettings = {
  /** The URL of the API, without a path. */
  url: string
  getToken: () => Promise<string>
  file: string
  kind: CreateImportQuery['kind']
  isCheck: boolean
  /** For administrators, who have to name it. */
  platformId: string | undefined
  /** Receives how far it is: the rows that were checked and written, and how many there are of them. */
  onProgress: (done: number, all: number) => void
  poll_ms?: number
}

/** What has become of the rows: the import, and those with errors. */
export type Imported = { import: Import; errors: readonly ImportRow[] }

/** Sends a file, waits until all of it is done, and returns what could not be. Throws `ListenError` for a file that is refused. */
export async function importFile(settings: ImportSettings): Promise<Imported> {
  const { url, getToken, file, kind, isCheck, platformId, onProgress, poll_ms = POLL_MS } = settings
  const query: CreateImportQuery = {
    kind,
    check_only: isCheck ? 'true' : 'false',
    platform_id: platformId as CreateImportQuery['platform_id'],
  }
  const connection = new Connection({ baseUrl: url, accessToken: getToken, attemptTimeout: UPLOAD_MS })
  const type = /\.(jsonl|ndjson)$/i.test(file) ? 'application/x-ndjson' : 'text/csv'
  try {
    const body = await readFile(file)
    let one = await connection.call(createImport, { query, body }, { headers: { 'content-type': type } })
    for (;;) {
      const { checked, done, lost, rejected, rows } = one
      onProgress(isCheck ? checked : checked + done + lost, isCheck ? rows : 2 * rows - rejected)
      if (one.state === 'DONE' || one.state === 'STOPPED') break
      await sleep(poll_ms)
      one = await connection.call(readImport, { path: { import_id: one.id } })
    }
    const outcome = ['REJECTED', 'LOST'] as const
    const errors: ImportRow[] = []
    for await (const row of connection.list(listImportRows, {
      path: { import_id: one.id },
      query: { outcome, limit: 100 },
    }))
      errors.push(row)
    return { import: one, errors }
  } catch (error) {
    throw permanent(error, '')
  }
}
