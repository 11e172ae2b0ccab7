import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { DatabaseConfig } from '../settings/config.ts'
import { connectClient, connectionOptions, type Database, connectDatabase, readRole } from '../kernel/db/database.ts'
import { UNHURRIED } from '../kernel/db/session.ts'
import { restoreMark, startEmbedded } from '../kernel/embedded-postgres/embedded.ts'
import { isBehindLogs } from '../record/log-positions.ts'
import { isMigrated, isTableMissing } from '../kernel/db/migrate.ts'
import type { Log } from '../kernel/log.ts'
import { safeMessage } from '../kernel/safe-message.ts'
import { ProblemError } from '../kernel/problem-error.ts'
import { StartError } from '../kernel/start-error.ts'
import { checkPooler } from '../kernel/db/pooler.ts'
import { checkNotRestored, isMarkedRestored, markRestored, unmarkRestored } from '../kernel/db/restored.ts'
import { checkVersionAllowed } from '../kernel/db/version-guard.ts'

export type DatabaseUrls = { appUrl: string; ownerUrl: string; appRole: string | null }

/** `isMain`: the program that may run only once on a data folder. `connects`: the addresses that it will connect to itself. */
type OpenOptions = {
  closers: AsyncDisposableStack
  connects: readonly ('ownerUrl' | 'appUrl')[]
  log?: Log
  isMain?: boolean
}

/** Throws `StartError` when a database of its own cannot be used through what stands before it. */
export async function prepareDatabaseUrls(
  { databaseUrl, migrationDatabaseUrl, dataDir }: DatabaseConfig,
  { closers, connects, log, isMain = false }: OpenOptions,
): Promise<DatabaseUrls> {
  if (databaseUrl === null) {
    const embedded = await startEmbedded({
      dataDir,
      isMain,
      onLost: () => log?.warn('the embedded database died; restarting it'),
    })
    closers.defer(embedded.stop)
    await markDatabase(restoreMark(dataDir), embedded.ownerUrl)
    return embedded
  }
  const appRole = migrationDatabaseUrl === null ? null : readRole(databaseUrl)
  const urls = { appUrl: databaseUrl, ownerUrl: migrationDatabaseUrl ?? databaseUrl, appRole }
  for (const url of new Set(connects.map((name) => urls[name]))) {
    await checkPooler(url).catch((error: unknown) => {
      throw toStartError(error) ?? error
    })
  }
  return urls
}

/** Marks the database where a restore has left this file. One without tables needs no mark. */
async function markDatabase(file: string, ownerUrl: string): Promise<void> {
  if (!existsSync(file)) return
  await asOwner(ownerUrl, (client) =>
    markRestored(client).catch((error: unknown) => {
      if (!isTableMissing(error)) throw error
    }),
  )
  await rm(file, { force: true })
}

/** Takes the mark of a restore away; false where there is none. */
export async function takeMarkAway(config: DatabaseConfig): Promise<boolean> {
  if (!(await withDatabase(config, isMarkedRestored))) return false
  await using closers = new AsyncDisposableStack()
  const { ownerUrl } = await prepareDatabaseUrls(config, { closers, connects: ['ownerUrl'] })
  await asOwner(ownerUrl, unmarkRestored)
  return true
}

async function asOwner(ownerUrl: string, work: typeof markRestored): Promise<void> {
  const client = await connectClient(connectionOptions(ownerUrl, UNHURRIED))
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Throws `StartError` when the database cannot be used, lacks a migration, is for later versions only, or was restored and not
 * migrated since.
 */
export async function checkMigrated(db: Database): Promise<void> {
  const done = await isMigrated(db).catch((error: unknown) => {
    throw toStartError(error instanceof ProblemError ? error.cause : error) ?? error
  })
  if (!done) throw new StartError('The database schema is not at the version of this program. Run `migrate` first.')
  await checkVersionAllowed(db)
  if (await isBehindLogs(db)) {
    throw new StartError(
      'The database was restored from another server. Run `migrate` first, so that its events and audit entries continue.',
    )
  }
}

/** Throws `StartError` when the database was restored, and nobody has said since what to shut again. */
export async function refuseRestored({ appUrl: url }: DatabaseUrls): Promise<void> {
  await using closers = new AsyncDisposableStack()
  const db = connectDatabase({ url, poolSize: 1, batching: false, onLostConnection: () => {} })
  closers.defer(db.close)
  await checkNotRestored(db).catch(throwReadable)
}

function toStartError(cause: unknown): StartError | undefined {
  if (cause instanceof StartError) return cause
  return cause instanceof Error ? new StartError(`The database cannot be used: ${safeMessage(cause)}.`) : undefined
}

/** Throws the error of a database in its own words, for the line that says why a program ends. */
export function throwReadable(error: unknown): never {
  throw (error instanceof ProblemError ? toStartError(error.cause) : undefined) ?? error
}

/**
 * Runs work on the database and closes it again; for commands. `asOwner`: with the rights of MIGRATION_DATABASE_URL. Throws
 * `StartError` when the database cannot go on.
 */
export async function withDatabase<T>(
  config: DatabaseConfig,
  work: (db: Database) => Promise<T>,
  { asOwner = false } = {},
): Promise<T> {
  await using closers = new AsyncDisposableStack()
  const connected = asOwner ? 'ownerUrl' : 'appUrl'
  const { [connected]: url } = await prepareDatabaseUrls(config, { closers, connects: [connected] })
  const db = connectDatabase({ url, poolSize: 2, batching: false, withoutTimeouts: true, onLostConnection: () => {} })
  closers.defer(db.close)
  await checkMigrated(db)
  return await work(db).catch(throwReadable)
}
