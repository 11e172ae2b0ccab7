import { type Import, type ImportId, type PlatformId } from '@banyan/client'
import type { CreateImportQuery, ListImportRowsQuery } from '@banyan/client/operations'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { banyan, uploads } from './banyan.ts'
import { offsetPage } from './offset-page.ts'

export type ImportKind = CreateImportQuery['kind']
/** A file as it was chosen: what is imported is what was checked, whatever happens to the file on the disk. */
export type ChosenFile = { name: string; bytes: Blob }
type FileOptions = { kind: ImportKind; isCheck: boolean; platform: string | undefined; signal: AbortSignal }

/** The service takes a file for 15 seconds; this leaves time to send it once more. */
const UPLOAD_MS = 60_000
const POLL_MS = 1_000
/** As many errors as this page reads; the CSV has all. */
export const ERRORS_MAX = 1_000
const PAGE = { limit: 100 } as const
export const WITH_ERROR = ['REJECTED', 'LOST'] as const satisfies ListImportRowsQuery['outcome']

const JSON_LINES = /\.(?:jsonl|ndjson)$/i

/** Sends a file; the import goes on at the service. */
export const sendFile = (
  { name, bytes }: ChosenFile,
  { kind, isCheck, platform, signal }: FileOptions,
): Promise<Import> =>
  uploads.imports.create(
    bytes,
    {
      kind,
      check_only: isCheck ? 'true' : 'false',
      ...(platform !== undefined && { platform_id: platform as PlatformId }),
    },
    {
      signal,
      timeout: UPLOAD_MS,
      headers: { 'content-type': JSON_LINES.test(name) ? 'application/x-ndjson' : 'text/csv' },
    },
  )

export const isAtWork = ({ state }: Pick<Import, 'state'>): boolean => state === 'CHECKING' || state === 'WRITING'

/** An import, which is read again while it is at work. */
export const importQuery = (id: ImportId) =>
  queryOptions({
    queryKey: ['import', id],
    queryFn: ({ signal }) => banyan.imports.read(id, { signal }),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isAtWork(data) ? POLL_MS : false),
  })

/** The errors of an import that has ended, in the order of the file. `finished`: an import can begin again. */
export const importErrorsQuery = (id: ImportId, finished: Date | null) =>
  queryOptions({
    queryKey: ['import', id, 'errors', finished?.getTime()],
    queryFn: ({ signal }) => banyan.imports.listRows(id, { ...PAGE, outcome: WITH_ERROR }, { signal }).all(ERRORS_MAX),
  })

/** The rows that are done, by page. */
export const importDoneQuery = (id: ImportId, after: string | undefined) =>
  queryOptions({
    queryKey: ['import', id, 'done', after],
    queryFn: ({ signal }) =>
      offsetPage(after, (page) => banyan.imports.listRows(id, { ...page, outcome: ['DONE'] }, { signal })),
    placeholderData: keepPreviousData,
  })
