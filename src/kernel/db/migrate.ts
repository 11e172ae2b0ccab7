import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { findCluster, placeTables, describeCluster } from '../cluster/cluster.ts'
import { connectClient, connectionOptions, type Queryable, statement } from './database.ts'
import { SCHEMA, UNHURRIED } from './session.ts'
import { StartError } from '../start-error.ts'
import { inTransaction } from './in-transaction.ts'
import { markRestored } from './restored.ts'
import { type Placements, tablesEverywhere } from '../cluster/placement.ts'
import { findOlderPrograms, findOldestAllowed, raiseOldestAllowed, refuse, untilNoneIsOlder } from './live-programs.ts'
import { programFile } from '../program-files.ts'
import { isOlderVersion, newestVersion, RELEASE, VERSION_BEFORE } from '../program-version.ts'
import { tooOld } from './version-guard.ts'

const FOLDER = pathToFileURL(programFile('migrations/'))
const LOCK = 7_226_401_377 // one migrator at a time; an arbitrary constant
const LOCK_INTERVAL_MS = 100
const RESTORED = 'restored from another server, whose events and audit it now continues'

type Migration = { name: string; sql: string; checksum: string }

/** A migration that takes something away, and the oldest version of the program that works without it. */
type ContractMigration = Migration & { oldest: string }

/** Returns the migrations that the programs of this version need, in order; the version before works with them too. */
export const readMigrations = (folder = FOLDER): Migration[] => readFolder(folder, '')

/** Returns those that only `migrate --contract` applies, in order. */
export const readContractMigrations = (folder = FOLDER): ContractMigration[] =>
  readFolder(folder, 'contract/').map((migration) => {
    const [, oldest] = /^-- oldest program: (\d+\.\d+\.\d+)\n/.exec(migration.sql) ?? []
    assert(oldest !== undefined, `${migration.name} begins with the oldest version of the program that it suits`)
    return { ...migration, oldest }
  })

function readFolder(folder: URL, below: string): Migration[] {
  const inside = new URL(below, folder)
  if (!existsSync(inside)) return []
  return readdirSync(inside)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(new URL(name, inside), 'utf8')
      return { name: `${below}${name}`, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

/** A cluster changes the shards of tables that point at each other one after another, or rejects it; one PostgreSQL ignores it. */
const SESSION = { ...UNHURRIED, 'citus.multi_shard_modify_mode': 'sequential' }

/** What the kernel has to know of the tables above it. */
export type StoredTables = {
  placements: Placements
  /**
   * Makes the transactions of this server come after those that the logs contain; resolves to true when they did not.
   */
  continueLogs: (client: pg.Client) => Promise<boolean>
}

type MigrateSettings = {
  ownerUrl: string
  appRole: string | null
  tables: StoredTables
  onApplied: (name: string) => void
  /** Takes away what only earlier versions need: from then on there is no way back to them. */
  contract?: boolean
  /** Goes on although programs that are too old run. */
  force?: boolean
  /** Leaves the mark of a restore that cannot be recognised: the server continues the numbers of its transactions. */
  restored?: boolean
  folder?: URL
}

type Applied = ReadonlyMap<string, string>

/**
 * Applies the missing migrations, each in its own transaction unless it says otherwise, continues the logs of a restored database, distributes the tables of
 * a cluster, and grants the app's role access to the tables. Safe when two processes start at once. Returns a description of
 * the database. Throws `StartError` and changes nothing when a program runs that would not work afterwards.
 */
export async function migrate(settings: MigrateSettings): Promise<string> {
  const { ownerUrl, appRole, tables, onApplied, folder = FOLDER } = settings
  const { placements, continueLogs } = tables
  const client = await connectClient(connectionOptions(ownerUrl, SESSION))
  try {
    await waitForLock(client)
    const cluster = await findCluster(client)
    await client.query(`create schema if not exists ${SCHEMA}`)
    await client.query(
      'create table if not exists migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string; checksum: string }>('select name, checksum from migrations')
    const applied = new Map(rows.map((row) => [row.name, row.checksum]))
    const contractions = findMissing(readContractMigrations(folder), applied)
    const missing = findMissing(readMigrations(folder), applied)
    const applyAll = async (migrations: Migration[]) => {
      for (const migration of migrations) {
        await applyOne(client, migration)
        onApplied(migration.name)
      }
    }
    const contracting = settings.contract ? contractions : []
    const oldest = await checkPrograms(client, { applied, missing, contracting, force: settings.force ?? false })
    await applyAll(missing)
    await raiseOldestAllowed(client, oldest)
    // What may not run any more has stopped before anything it needs is taken away.
    if (contracting.length > 0) await untilNoneIsOlder(client, oldest, applied)
    await applyAll(contracting)
    const isRestored = await inTransaction(client, async () => {
      const isContinued = await continueLogs(client)
      if (isContinued || settings.restored) await markRestored(client)
      return isContinued
    })
    if (cluster) await placeTables(client, cluster, placements)
    if (appRole) await grantTo(client, appRole, cluster && placements)
    const waiting = contractions.length - contracting.length
    return [
      describeCluster(cluster, placements),
      ...(isRestored ? [RESTORED] : []),
      ...(waiting > 0 ? [`${waiting} waiting for \`migrate --contract\``] : []),
    ].join(', ')
  } finally {
    await client.end()
  }
}

/**
 * Asks again and again instead of waiting in PostgreSQL: a statement that waits there has a snapshot, for whose end
 * `create index concurrently` of the process that has the lock would wait.
 */
async function waitForLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ is_ours: boolean }>('select pg_try_advisory_lock($1) as is_ours', [LOCK])
    if (rows[0]?.is_ours) return
    await sleep(LOCK_INTERVAL_MS)
  }
}

/** Returns those that are not applied yet. Fails when an applied one was changed. */
function findMissing<M extends Migration>(migrations: M[], applied: Applied): M[] {
  return migrations.filter(({ name, checksum }) => {
    const before = applied.get(name)
    assert(before === undefined || before === checksum, `migration ${name} was changed after it was applied`)
    return before === undefined
  })
}

type Intent = { applied: Applied; missing: Migration[]; contracting: ContractMigration[]; force: boolean }

/** Returns the oldest version that may run afterwards. Throws `StartError` when an older program runs, or is this one. */
async function checkPrograms(client: pg.Client, { applied, missing, contracting, force }: Intent): Promise<string> {
  const allowed = (await findOldestAllowed(client)) ?? VERSION_BEFORE
  if (isOlderVersion(RELEASE, allowed)) throw new StartError(tooOld(allowed))
  const oldest = newestVersion([allowed, VERSION_BEFORE, ...contracting.map((migration) => migration.oldest)])
  const changesNothing = missing.length === 0 && contracting.length === 0 && oldest === allowed
  if (force || changesNothing) return oldest
  const programs = await findOlderPrograms(client, oldest, applied)
  if (programs.length > 0) refuse(programs, oldest)
  return oldest
}

async function grantTo(client: pg.Client, appRole: string, distributed: Placements | undefined): Promise<void> {
  const role = pg.escapeIdentifier(appRole)
  for (const grant of statementsIn(grantsFor(role))) await client.query(grant)
  if (distributed) for (const grant of grantsOnCluster(role, distributed)) await client.query(grant)
}

/**
 * Returns the further grants that Citus needs, because it acts with the rights of the writer: it advances an identity column with
 * `nextval`, and a write to a table on every node locks the tables it references, which requires the right to update them. Pure.
 */
export const grantsOnCluster = (role: string, placements: Placements): string[] => [
  `grant usage on all sequences in schema ${SCHEMA} to ${role}`,
  `grant update on ${tablesEverywhere(placements).join(', ')} to ${role}`,
]

/**
 * The first migrations placed tables by themselves where they found Citus, and then added foreign keys in a way that it refuses.
 * `placeTables` places all tables, these too; on a plain PostgreSQL the blocks did nothing.
 */
const PLACES = /^do \$\$.*extname = 'citus'/s

/** By its first line: it makes indexes or checks while others write, and may be interrupted and applied again. */
export const isOutsideTransaction = (sql: string): boolean => sql.startsWith('-- outside a transaction\n')

async function applyOne(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  const apply = async () => {
    // One at a time: Citus plans a multi-statement query as one statement, and rejects it.
    for (const text of statementsIn(sql)) if (!PLACES.test(text)) await client.query(text)
    await client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])
  }
  await (isOutsideTransaction(sql) ? apply() : inTransaction(client, apply))
}

/** What the app's role may do to a table, by its comment. Nothing that a compromised app could do to hide what it did. */
export const RIGHTS = {
  'read-only': 'select',
  'append-only': 'select, insert',
  'never deleted': 'select, insert, update',
  'never changed': 'select, insert, delete',
}
export const OTHER_RIGHTS = 'select, insert, update, delete'

/**
 * The app's role owns nothing. What an earlier version granted is taken back. Temporary tables would hide ours from the statements of
 * a connection; who owns the database can refuse them.
 */
const grantsFor = (role: string): string => `
  grant usage on schema ${SCHEMA} to ${role};
  revoke all on all sequences in schema ${SCHEMA} from ${role};
  revoke execute on all functions in schema ${SCHEMA} from public;
  grant execute on all functions in schema ${SCHEMA} to ${role};
  do $$
  declare
    one record;
  begin
    for one in
      select c.oid::regclass as name, obj_description(c.oid, 'pg_class') as rows
        from pg_class c
       where c.relnamespace = '${SCHEMA}'::regnamespace and c.relkind in ('r', 'p')
    loop
      execute format('revoke all on %s from ${inText(role)}', one.name);
      execute format('grant %s on %s to ${inText(role)}',
                     case one.rows
                       ${Object.entries(RIGHTS)
                         .map(([rows, rights]) => `when '${rows}' then '${rights}'`)
                         .join('\n                       ')}
                       else '${OTHER_RIGHTS}'
                     end, one.name);
    end loop;
    if (select pg_has_role(d.datdba, 'usage') from pg_database d where d.datname = current_database()) then
      execute format('revoke temporary on database %I from public', current_database());
    end if;
  end
  $$`

/** In a text of SQL that is the pattern of `format`. */
const inText = (name: string) => name.replaceAll("'", "''").replaceAll('%', '%%')

/** Returns true for a missing table: the database has not been migrated. */
export const isTableMissing = (error: unknown) => error instanceof pg.DatabaseError && error.code === '42P01'

const LIST = statement('migrations_list', 'select name from migrations')

/** Stands among the migrations while rows are copied into the database: nothing else may use it. */
export const COPYING = 'copying'

/** Returns the names of the applied migrations: none where the database was never migrated. */
export async function listApplied(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(LIST).catch((error: unknown) => {
    if (isTableMissing(error)) return []
    throw error
  })
  return rows.map(({ name }) => name)
}

/** Returns true when the database has every migration of this version. Throws while rows are copied into it. */
export async function isMigrated(db: Queryable): Promise<boolean> {
  const names = await listApplied(db)
  if (names.includes(COPYING)) throw new Error('`distribute` has not copied everything into it yet')
  return hasEveryMigration(names)
}

/** Returns true when no migration of this version is missing; those of a later version may have been applied too. */
export function hasEveryMigration(applied: string[]): boolean {
  const names = new Set(applied)
  return readMigrations().every((migration) => names.has(migration.name))
}

/** Throws `StartError` when a migration of this version is missing; `called` is the setting that names the database. */
export async function checkVersion(client: pg.Client, called: string): Promise<void> {
  const db: Queryable = { query: async ({ text }) => (await client.query(text)).rows }
  if (hasEveryMigration(await listApplied(db))) return
  throw new StartError(`The database at ${called} is not at the version of this program. Run \`migrate\` there first.`)
}

/** A comment, a quoted string, a dollar-quoted body, the end of a statement, or anything else. */
const PIECE = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[^]/g

/** Returns the statements of an SQL text, without comments. */
export function statementsIn(sql: string): string[] {
  const texts = ['']
  for (const [piece] of sql.matchAll(PIECE)) {
    if (piece === ';') texts.push('')
    else if (!piece.startsWith('--')) texts[texts.length - 1] += piece
  }
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}
