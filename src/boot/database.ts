import type { DatabaseConfig } from '../config.ts'
import { type Database, connectDatabase, roleOf } from '../kernel/db/database.ts'
import { startEmbedded } from '../kernel/embedded-postgres/embedded.ts'
import { isBehindLogs } from '../record/log-positions.ts'
import { isMigrated } from '../kernel/db/migrate.ts'
import type { Log } from '../kernel/log.ts'
import { messageOf } from '../kernel/message-of.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { StartError } from '../kernel/start-error.ts'
import { checkVersionAllowed } from '../kernel/db/version-guard.ts'

export type DatabaseUrls = { appUrl: string; ownerUrl: string; appRole: string | null }
export type Closers = (() => Promise<unknown>)[]

/** `isMain`: the program that may run only once on a data folder. */
type OpenOptions = { closers: Closers; log?: Log; isMain?: boolean }

export async function prepareDatabaseUrls(
  { databaseUrl, migrationDatabaseUrl, dataDir }: DatabaseConfig,
  { closers, log, isMain = false }: OpenOptions,
): Promise<DatabaseUrls> {
  if (databaseUrl === null) {
    const embedded = await startEmbedded({
      dataDir,
      isMain,
      onLost: () => log?.warn('the embedded database died; restarting it'),
    })
    closers.push(embedded.stop)
    return embedded
  }
  const appRole = migrationDatabaseUrl === null ? null : roleOf(databaseUrl)
  return { appUrl: databaseUrl, ownerUrl: migrationDatabaseUrl ?? databaseUrl, appRole }
}

/**
 * Throws `StartError` when the database cannot be used, lacks a migration, is for later versions only, or was restored and not
 * migrated since.
 */
export async function checkMigrated(db: Database): Promise<void> {
  const done = await isMigrated(db).catch((error: unknown) => {
    throw inWords(error instanceof ProblemError ? error.cause : error) ?? error
  })
  if (!done) throw new StartError('The database schema is not at the version of this program. Run `migrate` first.')
  await checkVersionAllowed(db)
  if (await isBehindLogs(db)) {
    throw new StartError(
      'The database was restored from another server. Run `migrate` first, so that its events and audit entries continue.',
    )
  }
}

const inWords = (cause: unknown): StartError | undefined =>
  cause instanceof Error ? new StartError(`The database cannot be used: ${messageOf(cause)}.`) : undefined

/**
 * Runs work on the database and closes it again; for commands. `asOwner`: with the rights of MIGRATION_DATABASE_URL. Throws
 * `StartError` when the database cannot go on.
 */
export async function withDatabase<T>(
  config: DatabaseConfig,
  work: (db: Database) => Promise<T>,
  { asOwner = false } = {},
): Promise<T> {
  return withDatabaseUrls(config, async ({ appUrl, ownerUrl }, closers) => {
    const url = asOwner ? ownerUrl : appUrl
    const db = connectDatabase({ url, poolSize: 2, sharing: false, withoutTimeouts: true, onLostConnection: () => {} })
    closers.push(db.close)
    await checkMigrated(db)
    return work(db).catch((error: unknown) => {
      throw (error instanceof ProblemError ? inWords(error.cause) : undefined) ?? error
    })
  })
}

/** Opens the database for some work, and closes it again. */
export async function withDatabaseUrls<T>(
  config: DatabaseConfig,
  work: (urls: DatabaseUrls, closers: Closers) => Promise<T>,
): Promise<T> {
  const closers: Closers = []
  try {
    return await work(await prepareDatabaseUrls(config, { closers }), closers)
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}
