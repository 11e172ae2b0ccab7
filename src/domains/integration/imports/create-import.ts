import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { actorFrom, type Caller, WRITING_ADMINISTRATORS } from '../../../access/caller.ts'
import { wireTime } from '../../../kernel/clock.ts'
import { underEachKey } from '../../../kernel/crypto/vault.ts'
import { createEtag } from '../../../kernel/http/conditional.ts'
import { fileBody, FileBody } from '../../../kernel/http/file-body.ts'
import { createLocation } from '../../../kernel/http/param.ts'
import { OneOf, Text } from '../../../kernel/http/schemas.ts'
import { newId } from '../../../kernel/id.ts'
import { type FieldError, invalid, unknownReference } from '../../../kernel/problem-error.ts'
import {
  applyWithRetry,
  type Author,
  type Call,
  type Decision,
  type Deps,
  operation,
  unchanged,
} from '../../../record/index.ts'
import { foreignPlatform, hasPlatform } from '../../partners/platforms/index.ts'
import { CSV_TYPES, FILE_BYTES_MAX, JSON_LINES_TYPES, readFile } from './read-file.ts'
import { hashFile } from './hash-file.ts'
import { keepRows, type KeptRows } from './keep-rows.ts'
import { KIND_NAMES, kindOf } from './kind-of.ts'
import { type Import, ImportRecord, presentImport, tags } from './records.ts'
import { isUnfinished } from './states.ts'
import { deleteChunks, findImportOfFile, insertImport, RESUME, triedAgain } from './store.ts'

const DESCRIPTION = `Takes a list in one file, as CSV or as JSON Lines in UTF-8: up to 100,000 rows and 64 MiB, sent within 15 seconds. [/docs/partners/imports](/docs/partners/imports) has the columns.

Every row is checked with the checks of the single calls; then the rows without an error are written one by one, as the single calls would. \`check_only\` ends after the
check. The response comes when the file has arrived; the import itself goes on, and \`GET /v1/imports/{import_id}\` says how far it is.

The same file again is the same import, a 200: it goes on where it stopped, rows with errors are tried again, and what is done is not done twice. So there is
no \`Idempotency-Key\`.`

const ImportQuery = Type.Object(
  {
    kind: OneOf(KIND_NAMES, { description: 'What a row is.' }),
    check_only: Type.Optional(OneOf(['true', 'false'], { description: 'Only check: nothing is kept but the report.' })),
    platform_id: Type.Optional(
      Text({
        description: 'For administrators, who must name it: the platform whose list it is. The rows have its rights.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const createImport = operation('POST /imports', {
  access: 'createImport',
  tags,
  summary: 'Import a list in one file',
  description: DESCRIPTION,
  querystring: ImportQuery,
  body: FileBody({
    'text/csv': 'phone_country_code,phone_number,first_name\r\n+91,9876543210,Asha\r\n',
    'application/x-ndjson': '{"phone_country_code":"+91","phone_number":"9876543210","first_name":"Asha"}\n',
    'application/jsonl': '{"phone_country_code":"+91","phone_number":"9876543210","first_name":"Asha"}\n',
  }),
  versioned: true,
  response: { 200: ImportRecord, 201: ImportRecord },
  validate: ({ caller, query }) => platformErrors(caller, query),
  readsBody: () => fileBody([...CSV_TYPES, ...JSON_LINES_TYPES], FILE_BYTES_MAX),
  // Not `change`: the file is kept before the write.
  read: (call) => receive(call),
})

type ImportCall = Call<Deps, Type.TUnknown, typeof ImportQuery, ReturnType<typeof FileBody>>

function platformErrors(caller: Caller, query: unknown): FieldError[] {
  const named = (query as { platform_id?: unknown } | undefined)?.platform_id
  const isAdministrator = WRITING_ADMINISTRATORS.some((role) => role === caller.kind)
  if (isAdministrator && named === undefined) {
    return [{ pointer: 'query:platform_id', code: 'required', detail: 'Name the platform whose list it is.' }]
  }
  return foreignPlatform({ caller, body: query }).map((error) => ({ ...error, pointer: 'query:platform_id' }))
}

/** Keeps the rows of the file, sealed, then the import; without an import, they are deleted again. */
async function receive(call: ImportCall) {
  const { deps, request, reply, query } = call
  const platformId = request.caller.kind === 'platform' ? request.caller.platformId : (query.platform_id ?? '')
  if (request.caller.kind !== 'platform' && !(await hasPlatform(deps.db, platformId))) {
    throw invalid([unknownReference('query:platform_id', 'There is no platform with this id.')])
  }
  const of = { platformId, kind: query.kind, checkOnly: query.check_only === 'true' }
  const { bytes, sha256 } = hashed(call.body.bytes)
  const upload = { uploadId: newId('upl'), ...deps.vault.newDataKey() }
  const dropRows = () => deleteChunks(deps.db, upload.uploadId).catch(() => {}) // what is left ages
  try {
    const rows = readFile({ bytes, mediaType: call.body.mediaType, kind: kindOf(of.kind) })
    const stored = await keepRows(deps.db, upload, rows)
    request.checkNotRevoked()
    const file = { ...of, ...stored, dataKey: upload.wrapped, sha256: sha256(), id: newId('imp') }
    const found = await applyWithRetry(deps, actorFrom(request), (author) => decide(deps, file, author))
    request.hasChanged = found.uploadId === upload.uploadId
    if (!request.hasChanged) await dropRows()
    reply.code(found.id === file.id ? 201 : 200)
    if (found.id === file.id) reply.header('location', createLocation(request, found.id))
    reply.header('etag', createEtag({ record: presentImport(found), revision: found.revision }))
    return presentImport(found)
  } catch (error) {
    await dropRows()
    throw error
  }
}

type NewImport = Pick<Import, 'id' | 'platformId' | 'kind' | 'checkOnly'> &
  KeptRows & { dataKey: string; sha256: string }

/** Decides what to do with a file: a new import, one that begins again, or nothing, because it is at work or all done. */
async function decide(deps: Pick<Deps, 'db' | 'vault'>, file: NewImport, author: Author): Promise<Decision<Import>> {
  const hashes = underEachKey(deps.vault, (hasher) => hashFile(hasher, file))
  const { sha256: _, ...values } = file
  const person = personOf(author.caller)
  const earlier = await findImportOfFile(deps.db, { ...file, hashes })
  if (earlier)
    return isUnfinished(earlier.state) || isAllDone(earlier)
      ? unchanged(earlier)
      : resume(earlier, { ...values, person }, author)
  return insertImport(
    {
      ...values,
      state: 'CHECKING',
      fileHash: hashes[0],
      person,
      checkedChunks: 0,
      writtenChunks: 0,
      checkedRows: 0,
      rejectedRows: 0,
      doneRows: 0,
      lostRows: 0,
      busyMs: 0,
      sentAt: wireTime(author.at),
      finishedAt: null,
    },
    author.at,
  )
}

/** A check is about what is stored now, so the same one is made again. */
const isAllDone = ({ checkOnly, doneRows, rowCount }: Import): boolean => !checkOnly && doneRows === rowCount

type Resuming = Pick<Import, 'uploadId' | 'chunkCount' | 'person'> & { dataKey: string }

function resume(
  earlier: Import,
  { uploadId, dataKey, chunkCount, person }: Resuming,
  { at }: Author,
): Decision<Import> {
  const zero = {
    checkedChunks: 0,
    writtenChunks: 0,
    checkedRows: 0,
    rejectedRows: 0,
    lostRows: 0,
    busyMs: 0,
    finishedAt: null,
  }
  const revision = earlier.revision + 1
  const result = {
    ...earlier,
    ...zero,
    state: 'CHECKING' as const,
    uploadId,
    dataKey,
    chunkCount,
    person,
    revision,
    lastModifiedAt: wireTime(at),
  }
  return {
    result,
    ...RESUME.with({
      import_id: earlier.id,
      revision: earlier.revision,
      upload_id: uploadId,
      data_key: dataKey,
      person,
      chunk_count: chunkCount,
      at,
    }),
    rows: triedAgain(earlier.id),
  }
}

/** Who sends it, where that is not the platform's own program. */
function personOf(caller: Caller): string | null {
  if (caller.kind === 'platform') return caller.person ?? null
  return 'subject' in caller ? caller.subject : null
}

function hashed(body: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  async function* pass() {
    for await (const piece of body) {
      hash.update(piece)
      yield piece
    }
  }
  return { bytes: pass(), sha256: () => hash.digest('hex') }
}
