import pg from 'pg'
import { connectionOptions, onlyRow, type Queryable, statement } from './database.ts'
import { SCHEMA } from './session.ts'
import { isOlderVersion } from '../program-version.ts'
import { SEEN_WITHIN_SECONDS } from './live-programs.ts'
import { listApplied, OTHER_RIGHTS, readMigrations, RIGHTS } from './migrate.ts'

/** What a PostgreSQL says about itself; `text` settings as it names them. */
export type ServerFacts = {
  version: number
  max_connections: number
  reserved_connections: number
  sessions: number
  fsync: string
  full_page_writes: string
  synchronous_commit: string
  encoding: string
  is_standby: boolean
  is_superuser: boolean
  /** Whether the newest attempt to archive the log failed, and for how long it has been failing. */
  archive_failing_s: number | null
}

const WRITE_MS_MAX = 4_000

const FACTS = statement(
  'inspect_server',
  `select current_setting('server_version_num')::int as version,
          current_setting('max_connections')::int as max_connections,
          current_setting('superuser_reserved_connections')::int as reserved_connections,
          (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as sessions,
          current_setting('fsync') as fsync,
          current_setting('full_page_writes') as full_page_writes,
          current_setting('synchronous_commit') as synchronous_commit,
          current_setting('server_encoding') as encoding,
          pg_is_in_recovery() as is_standby,
          current_setting('is_superuser') = 'on' as is_superuser,
          (select extract(epoch from now() - coalesce(last_archived_time, stats_reset))::int
             from pg_stat_archiver
            where last_failed_time > coalesce(last_archived_time, '-infinity')) as archive_failing_s`,
)

export const readServerFacts = async (db: Queryable): Promise<ServerFacts> =>
  onlyRow(await db.query<ServerFacts>(FACTS))

/** Longer than what is free in the pages of a small table, so that a full disk shows. */
const WRITE = `insert into processes (process_id, role, version)
               select gen_random_uuid()::text, 'doctor', string_agg(md5(random()::text), '') from generate_series(1, 8192)`

/** Writes a row and takes it back. Throws what the database has against it. */
export async function tryWrite(url: string): Promise<void> {
  const client = new pg.Client({ ...connectionOptions(url), query_timeout: WRITE_MS_MAX })
  client.on('error', () => {}) // the statement fails, too
  await client.connect()
  try {
    await client.query('begin')
    await client.query(WRITE)
    await client.query('rollback')
  } finally {
    await client.end()
  }
}

const MISSING_RIGHTS = statement(
  'inspect_rights',
  `select c.relname as table
     from pg_class c
    where c.relnamespace = to_regnamespace('${SCHEMA}') and c.relkind in ('r', 'p')
      and exists (
          select from string_to_table(coalesce($1::jsonb ->> obj_description(c.oid, 'pg_class'), $2), ', ') as r (one)
           where not has_table_privilege(c.oid, r.one))
    order by c.relname`,
)

/** Returns the tables on which this role lacks a right that `migrate` gives it. */
export const findTablesWithoutRights = async (db: Queryable): Promise<string[]> =>
  (await db.query<{ table: string }>(MISSING_RIGHTS, [JSON.stringify(RIGHTS), OTHER_RIGHTS])).map(({ table }) => table)

const HAS_QUEUE = statement('inspect_queue', `select to_regclass('pgboss.job') is not null as found`)

export async function findMissingMigrations(
  db: Queryable,
): Promise<{ missing: string[]; all: number; hasQueue: boolean }> {
  const names = new Set(await listApplied(db))
  const all = readMigrations().map(({ name }) => name)
  const { found: hasQueue } = onlyRow(await db.query<{ found: boolean }>(HAS_QUEUE))
  return { missing: all.filter((name) => !names.has(name)), all: all.length, hasQueue }
}

const PROGRAMS = statement(
  'inspect_programs',
  `select role, version, coalesce(build, version) as build, count(*)::int as count
     from processes
    where seen_at > now() - $1 * interval '1 second'
    group by role, version, build
    order by role, version, build`,
)
const SIGNING_KEYS = statement(
  'inspect_signing_keys',
  `select role, signing_keys as kids
     from processes
    where seen_at > now() - $1 * interval '1 second' and signing_keys is not null
    order by role, process_id`,
)

/** Returns the kids of the signing keys of each running process. */
export const findSigningKeys = (db: Queryable) =>
  db.query<{ role: string; kids: string[] }>(SIGNING_KEYS, [SEEN_WITHIN_SECONDS])

const OLDEST = statement('inspect_oldest', 'select oldest from program_versions')

type Program = { role: string; version: string; build: string; count: number }

export const listPrograms = (db: Queryable): Promise<Program[]> => db.query<Program>(PROGRAMS, [SEEN_WITHIN_SECONDS])

/** Returns those that run and are older than a version. */
export const listProgramsBefore = async (db: Queryable, version: string): Promise<Program[]> =>
  (await listPrograms(db)).filter((program) => isOlderVersion(program.version, version))

export async function findPrograms(db: Queryable): Promise<{ running: Program[]; oldest: string }> {
  const running = await listPrograms(db)
  return { running, ...onlyRow(await db.query<{ oldest: string }>(OLDEST)) }
}
