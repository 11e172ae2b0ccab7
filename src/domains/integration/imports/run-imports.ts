import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../../access/caller.ts'
import { describe } from '../../../kernel/http/problems.ts'
import type { Log } from '../../../kernel/log.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import type { Deps, OnBehalf, SingleCalls } from '../../../record/index.ts'
import type { FileRow, RowError } from './file-row.ts'
import { kindOf } from './kind-of.ts'
import type { Import } from './records.ts'
import { checkRow, type RowContext, writeRow } from './check-row.ts'
import { CHUNK } from './store.ts'
import type { RowOutcome } from './states.ts'
import {
  type Advance,
  advance,
  findChunk,
  findNextImport,
  findReported,
  giveWay,
  type ReportRow,
} from './work-store.ts'

export { deleteOldImports } from './work-store.ts'

/** So many rows are at work together: their statements are shared, and a platform keeps connections for itself. */
const ROWS_AT_ONCE = 8

export type ImportContext = Pick<Deps, 'db' | 'vault' | 'rates'> & { singleCalls: SingleCalls; log: Log }

/**
 * Works through one chunk of the import that has waited longest. Resolves to true when there may be more. What a stopped worker has not
 * recorded is done again, and known by its keys.
 */
export async function runImports(context: ImportContext, stop: AbortSignal): Promise<boolean> {
  const next = await findNextImport(context.db)
  if (!next) return false
  const { sealed, chunk } = await findSealed(context, next)
  if (sealed === undefined || next.dataKey === null) {
    context.log.error({ import: next.id, chunk }, 'the rows of an import are gone; it is stopped')
    return advance(context.db, next, { ...NOTHING, to: 'STOPPED' })
  }
  const at = { uploadId: next.uploadId, chunk }
  const rows = CHUNK.unseal(context.vault.unwrap(next.dataKey), at, sealed)
  const startedAt = performance.now()
  const outcome = await workThrough(context, next, rows, stop).catch(async (error: unknown) => {
    await giveWay(context.db, next.id) // the others need not wait until this one can go on
    throw error
  })
  if (!outcome) return false
  return advance(context.db, next, { ...outcome, busy_ms: performance.now() - startedAt })
}

const NOTHING: Omit<Advance, 'to'> = {
  checkedChunks: 0,
  writtenChunks: 0,
  checked: 0,
  rejected: 0,
  done: 0,
  lost: 0,
  busy_ms: 0,
  report: [],
}

async function findSealed({ db }: ImportContext, { state, uploadId, checkedChunks, writtenChunks }: Import) {
  const chunk = state === 'CHECKING' ? checkedChunks : writtenChunks
  return { chunk, sealed: await findChunk(db, uploadId, chunk) }
}

/** The rows have the rights of the platform, also where an administrator sent the file; a person is named with it. */
function onBehalfOf({ id, platformId, person }: Import): OnBehalf {
  const caller: Caller = {
    kind: 'platform',
    platformId,
    epoch: 0,
    credentialId: id,
    ...(person !== null && { person }),
  }
  return { caller, requestId: id }
}

/** Returns undefined when it was stopped before the end. */
async function workThrough(
  context: ImportContext,
  of: Import,
  rows: FileRow[],
  stop: AbortSignal,
): Promise<Advance | undefined> {
  const range = { first: rows[0]?.number ?? 0, last: rows.at(-1)?.number ?? 0 }
  const reported = await findReported(context.db, of.id, range)
  const row: RowContext = { calls: context.singleCalls, of: onBehalfOf(of), kind: kindOf(of.kind), importId: of.id }
  const isChecking = of.state === 'CHECKING'
  const left = rows.filter(({ number }) => (isChecking ? reported.get(number) !== 'DONE' : !reported.has(number)))
  const report: ReportRow[] = []
  const tally: Record<RowOutcome, number> = { DONE: 0, REJECTED: 0, LOST: 0 }
  const run = async (one: FileRow) => {
    await waitForLimit(context, row.of.caller)
    const entries = await runOne(context, { row, one, isChecking })
    if (entries[0]) tally[entries[0].outcome]++
    report.push(...entries)
  }
  if (!(await severalAtOnce(left, run, stop))) return undefined
  const counts = { checked: isChecking ? rows.length : 0, rejected: tally.REJECTED, done: tally.DONE, lost: tally.LOST }
  return { ...counts, ...nextPlace(of), busy_ms: 0, report }
}

type One = { row: RowContext; one: FileRow; isChecking: boolean }

async function runOne({ log }: ImportContext, { row, one, isChecking }: One): Promise<ReportRow[]> {
  try {
    if (isChecking) return (await checkRow(row, one)).map(toEntry(one, 'REJECTED'))
    const result = await writeRow(row, one)
    if ('rowErrors' in result) return result.rowErrors.map(toEntry(one, 'LOST'))
    const { user_id = null, record_id = user_id } = result.ids
    return [{ ...PLAIN, row_number: one.number, position: 0, outcome: 'DONE', user_id, record_id }]
  } catch (error) {
    if (error instanceof ProblemError) throw error
    log.error(
      { import: row.importId, row: one.number, error: describe(error) },
      'unexpected error in a row of an import',
    )
    return [toEntry(one, isChecking ? 'REJECTED' : 'LOST')(DEFECT, 0)]
  }
}

const DEFECT: RowError = {
  column: null,
  code: 'internal',
  detail: 'An internal error, which is logged. The other rows are not affected.',
}

const PLAIN = { column_name: null, code: null, detail: null, user_id: null, record_id: null }

const toEntry =
  ({ number }: FileRow, outcome: RowOutcome) =>
  ({ column, code, detail, recordId }: RowError, position: number): ReportRow => ({
    ...PLAIN,
    row_number: number,
    position,
    outcome,
    column_name: column,
    code,
    detail,
    record_id: recordId ?? null,
  })

/** Where the import is after this chunk. */
function nextPlace({ state, checkOnly, chunkCount, checkedChunks, writtenChunks }: Import) {
  if (state === 'CHECKING') {
    const isLast = checkedChunks + 1 === chunkCount
    return {
      checkedChunks: 1,
      writtenChunks: 0,
      to: !isLast ? ('CHECKING' as const) : checkOnly ? ('DONE' as const) : ('WRITING' as const),
    }
  }
  return {
    checkedChunks: 0,
    writtenChunks: 1,
    to: writtenChunks + 1 === chunkCount ? ('DONE' as const) : ('WRITING' as const),
  }
}

/** A row counts as one request of the platform, each time it is looked at; half of the limit is left to the platform's own. */
async function waitForLimit({ rates }: ImportContext, caller: Caller): Promise<void> {
  for (let wait_s = rates.countBackground(caller); wait_s > 0; wait_s = rates.countBackground(caller)) {
    await sleep(Math.ceil(wait_s * 1_000))
  }
}

/** Runs rows, some at once, in order. Resolves to false when it was stopped before the last one. Throws the first error, when none runs any more. */
async function severalAtOnce(
  rows: readonly FileRow[],
  run: (row: FileRow) => Promise<void>,
  stop: AbortSignal,
): Promise<boolean> {
  const left = rows.values() // shared: each takes the next one
  const errors: unknown[] = []
  const work = async () => {
    for (const row of left) {
      if (stop.aborted || errors.length > 0) return
      await run(row).catch((error: unknown) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: ROWS_AT_ONCE }, work))
  if (errors.length > 0) throw errors[0]
  return !stop.aborted
}
