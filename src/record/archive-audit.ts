import { isDeepStrictEqual } from 'node:util'
import type { AuditHeads } from '../access/audit-heads.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { safeMessage } from '../kernel/safe-message.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { StartError } from '../kernel/start-error.ts'
import {
  type Archive,
  type ArchiveContext,
  type ArchiveSource,
  toArchiveId,
  findDefects,
  getArchive,
  numberIn,
  putArchive,
} from './audit-archive.ts'
import {
  type ArchiveRow,
  findArchiveFrom,
  findLastDue,
  findNewestArchive,
  finishArchive,
  insertArchive,
  listBatches,
} from './audit-archives-store.ts'
import { type Entry, entryIn, readLines } from './seal-audit.ts'

/** An archive has one batch of 5,000 more at most: some 2 MiB, far below the limit of a stored file. */
const ENTRIES_MAX = 10_000

type Context = ArchiveContext & { db: Queryable; auditHeads: AuditHeads }

/**
 * Takes one step of archiving the batches sealed before `days` whole days: it decides which batches the next file has, or
 * writes that file. Resolves to true when there is more to do. Any step can be killed or run twice: a file is written with the
 * batches and the key of its row, which is finished once the file was read back. A file of other batches, as after a
 * restore, is never overwritten.
 */
export async function archiveAudit(
  context: Context,
  { days, entriesMax = ENTRIES_MAX }: { days: number; entriesMax?: number },
): Promise<boolean> {
  const { db, vault } = context
  const newest = await findNewestArchive(db)
  if (newest && !newest.is_archived) return writeArchive(context, newest)
  const first = (newest?.last_number ?? 0) + 1
  const due = await findLastDue(db, { first, entriesMax, days })
  if (due === null) return false
  const id = toArchiveId(first)
  const existing = await getArchive(context, id)
  if (!existing) {
    const { wrapped: data_key } = vault.newDataKey()
    await insertArchive(db, { archive_id: id, first_number: first, last_number: due, data_key, is_archived: false })
    return true
  }
  if ('defect' in existing) throw new Error(`${id} of another time: ${existing.defect}`)
  const last_number = await checkArchive(context, first, existing.archive)
  const data_key = vault.rewrap(existing.data_key)
  await insertArchive(db, { archive_id: id, first_number: first, last_number, data_key, is_archived: true })
  return true
}

async function writeArchive(context: Context, row: ArchiveRow): Promise<true> {
  const { db } = context
  const archive = await collect(db, row)
  await checkArchive(context, row.first_number, archive)
  await putArchive(context, row, archive)
  const stored = await getArchive(context, row.archive_id, row.data_key)
  if (!stored || 'defect' in stored || !isDeepStrictEqual(stored.archive, archive))
    throw new Error(`${row.archive_id} was not stored as it was written`)
  await finishArchive(db, row.archive_id)
  return true
}

async function collect(db: Queryable, { first_number, last_number }: ArchiveRow): Promise<Archive> {
  const { before, batches } = await listBatches(db, first_number, last_number)
  const archive: Archive = { previous_hash: before.hash, batches: [] }
  let previous = before
  for (const batch of batches) {
    archive.batches.push({ ...batch, lines: await readLines(db, previous, batch) })
    previous = batch
  }
  return archive
}

/** Throws when an archive and the database differ; returns the number of its last batch. */
async function checkArchive({ db, auditHeads }: Context, first: number, archive: Archive): Promise<number> {
  const last = archive.batches.at(-1)?.number ?? first
  const { before, batches: stored } = await listBatches(db, first, last)
  const [defect] = findDefects(archive, { auditHeads, first, stored, previousHash: before.hash })
  if (defect !== undefined) throw new Error(`${toArchiveId(first)} and the database differ: ${defect}`)
  return last
}

/**
 * Verifies each archive: that it opens, that its chain and signatures are right, and that the database has the same batches. Goes
 * from file to file, so that it also finds what the database has lost. Throws `StartError` when the storage cannot be read.
 */
export async function verifyArchives(
  context: ArchiveSource & Omit<Context, 'storage'>,
  onProgress: (batches: number) => void = () => {},
): Promise<{ archived: number; wrong: string[] }> {
  const { db, auditHeads } = context
  const report = { archived: 0, wrong: [] as string[] }
  let previousHash: string | undefined = ''
  for (let first = 1; ; ) {
    const id = toArchiveId(first)
    const wrong = (message: string) => void report.wrong.push(`${id}: ${message}`)
    const next = await findArchiveFrom(db, id)
    const row = next?.archive_id === id ? next : undefined
    const content = await getArchive(context, id, row?.data_key).catch(throwStartError)
    if (!content && !next) return report
    if (!content && row?.is_archived !== false) wrong('missing in the document storage')
    if (content && 'defect' in content) wrong(content.defect)
    const archive = content && 'archive' in content ? content.archive : undefined
    const last = archive?.batches.at(-1)?.number ?? row?.last_number
    if (archive && last !== undefined) {
      const { batches: stored } = await listBatches(db, first, last)
      for (const defect of findDefects(archive, { auditHeads, first, stored, previousHash })) wrong(defect)
      report.archived += archive.batches.length
      onProgress(report.archived)
    }
    previousHash = archive?.batches.at(-1)?.hash
    const following: number = last === undefined ? numberIn(next?.archive_id ?? '') : last + 1
    if (!(following > first)) return report
    first = following
  }
}

type ArchiveContent = { entries: Entry[]; wrong: string[] }

/**
 * Returns the entries of an archive, verified by the chain and the signatures in it; undefined when there is no file. Needs no
 * database.
 */
export async function showArchive(
  { auditHeads, ...context }: ArchiveSource & Pick<Context, 'auditHeads'>,
  archiveId: string,
): Promise<ArchiveContent | undefined> {
  const content = await getArchive(context, archiveId).catch(throwStartError)
  if (!content || 'defect' in content) return content && { entries: [], wrong: [content.defect] }
  const { batches } = content.archive
  const chain = { auditHeads, first: numberIn(archiveId), stored: batches, previousHash: undefined }
  const wrong = findDefects(content.archive, chain)
  const last = batches.at(-1)
  if (!last || auditHeads.check(last, last.signature) === 'unknown key')
    wrong.push('not verified: the key that signed its last batch is not in SIGNING_KEYS')
  return { entries: batches.flatMap(({ lines }) => lines.map(entryIn)), wrong }
}

function throwStartError(error: unknown): never {
  if (!(error instanceof ProblemError)) throw error
  const message = error.cause instanceof Error ? safeMessage(error.cause) : error.message
  throw new StartError(`The document storage cannot be read: ${message}.`)
}
