import { onlyRow, type Queryable, statement } from '../kernel/db/database.ts'
import type { WrappedKey } from '../kernel/crypto/vault.ts'
import { type Batch, BATCH, type BatchRow, BEGINNING, toBatch } from './seal-audit.ts'

/** An archive in the database; until `is_archived`, its file may be missing. */
export type ArchiveRow = {
  archive_id: string
  first_number: number
  last_number: number
  data_key: WrappedKey
  is_archived: boolean
}

const ROW = 'archive_id, first_number, last_number, data_key, archived_at is not null as is_archived'
const NEWEST = statement('audit_archives_newest', `select ${ROW} from audit_archives order by archive_id desc limit 1`)
const FROM = statement(
  'audit_archives_from',
  `select ${ROW} from audit_archives where archive_id >= $1 order by archive_id limit 1`,
)
const INSERT = statement(
  'audit_archives_insert',
  `insert into audit_archives (archive_id, first_number, last_number, data_key, archived_at)
   values ($1, $2, $3, $4, case when $5 then now() end)
       on conflict do nothing`,
)
const FINISH = statement(
  'audit_archives_finish',
  'update audit_archives set archived_at = now() where archive_id = $1 and archived_at is null',
)
/** The batches from the first up to those with `$2` entries, sealed before a day, which begins at midnight UTC. */
const LAST_DUE = statement(
  'audit_batches_last_due',
  `select max(number) as number
     from (select number, at, sum(entry_count) over (order by number) - entry_count as entries_before
             from (select number, at, entry_count from audit_batches where number >= $1 order by number limit $2) next) b
    where entries_before < $2 and at < date_trunc('day', now(), 'UTC') - $3 * interval '1 day'`,
)
const RANGE = statement(
  'audit_batches_range',
  `select ${BATCH} from audit_batches where number between $1 and $2 order by number`,
)
/** For how long the first batch that is in no archive has been old enough for one. */
const OVERDUE = statement(
  'audit_archives_overdue',
  `select greatest(0, extract(epoch from now() - $1 * interval '1 day' - at))::float8 as overdue_s
     from audit_batches
    where number > coalesce(
            (select last_number from audit_archives where archived_at is not null order by archive_id desc limit 1), 0)
    order by number
    limit 1`,
)

export async function findNewestArchive(db: Queryable): Promise<ArchiveRow | undefined> {
  return (await db.query<ArchiveRow>(NEWEST))[0]
}

/** Returns the archive with this id, or the first one after it. */
export async function findArchiveFrom(db: Queryable, archiveId: string): Promise<ArchiveRow | undefined> {
  return (await db.query<ArchiveRow>(FROM, [archiveId]))[0]
}

type Due = { first: number; entriesMax: number; days: number }

/** Returns the number of the last batch that the archive with this first one has; null when none is old enough. */
export async function findLastDue(db: Queryable, { first, entriesMax, days }: Due): Promise<number | null> {
  return onlyRow(await db.query<{ number: number | null }>(LAST_DUE, [first, entriesMax, days])).number
}

/** Inserts an archive unless another worker has. */
export async function insertArchive(db: Queryable, row: ArchiveRow): Promise<void> {
  const { archive_id, first_number, last_number, data_key, is_archived } = row
  await db.query(INSERT, [archive_id, first_number, last_number, data_key, is_archived])
}

/** Records that the file of an archive was read back. */
export const finishArchive = (db: Queryable, archiveId: string) => db.query(FINISH, [archiveId])

export async function listBatches(
  db: Queryable,
  first: number,
  last: number,
): Promise<{ before: Batch; batches: Batch[] }> {
  const rows = (await db.query<BatchRow>(RANGE, [first - 1, last])).map(toBatch)
  const before = rows.find(({ number }) => number < first) ?? BEGINNING
  return { before, batches: rows.filter(({ number }) => number >= first) }
}

export async function findArchiveOverdue(db: Queryable, days: number): Promise<number> {
  return (await db.query<{ overdue_s: number }>(OVERDUE, [days]))[0]?.overdue_s ?? 0
}
