import { onlyRow, type Queryable, statement } from './database.ts'
import { SEEN_WITHIN_SECONDS } from './live-programs.ts'
import { listApplied, readMigrations } from './migrate.ts'

/** What a PostgreSQL says about itself; `text` settings as it names them. */
export type ServerFacts = {
  version: number
  max_connections: number
  reserved_connections: number
  sessions: number
  fsync: string
  full_page_writes: string
  default_isolation: string
  encoding: string
  is_standby: boolean
  is_superuser: boolean
}

const FACTS = statement(
  'inspect_server',
  `select current_setting('server_version_num')::int as version,
          current_setting('max_connections')::int as max_connections,
          current_setting('superuser_reserved_connections')::int as reserved_connections,
          (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as sessions,
          current_setting('fsync') as fsync,
          current_setting('full_page_writes') as full_page_writes,
          current_setting('default_transaction_isolation') as default_isolation,
          current_setting('server_encoding') as encoding,
          pg_is_in_recovery() as is_standby,
          current_setting('is_superuser') = 'on' as is_superuser`,
)

export const readServerFacts = async (db: Queryable): Promise<ServerFacts> =>
  onlyRow(await db.query<ServerFacts>(FACTS))

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
const OLDEST = statement('inspect_oldest', 'select oldest from program_versions')

type Program = { role: string; version: string; build: string; count: number }

export async function findPrograms(db: Queryable): Promise<{ running: Program[]; oldest: string }> {
  const running = await db.query<Program>(PROGRAMS, [SEEN_WITHIN_SECONDS])
  return { running, ...onlyRow(await db.query<{ oldest: string }>(OLDEST)) }
}
