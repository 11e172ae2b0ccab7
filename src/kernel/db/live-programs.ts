import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { SCHEMA } from './session.ts'
import { StartError } from '../start-error.ts'
import { isOlderVersion } from '../program-version.ts'

/** A process counts as running until it has missed six heartbeats. */
export const SEEN_WITHIN_SECONDS = 30
/** Two heartbeats, and the work in progress. */
const STOP_TIMEOUT_MS = 20_000
const POLL_MS = 250

/** Versions before 0.2.0 report nothing; their connections have this name alone. */
const SILENT_NAME = 'banyan'
/** The newest version that reports nothing, and the last migration it needs: on a database without it, an older one runs. */
const NEWEST_SILENT = '0.1.0'
const NEEDED_BY_NEWEST_SILENT = '0031_first_versions_unindexed.sql'
const OLDER_THAN_ALL = '0.0.0'

/** A program that runs on the database; `words` name it for an operator. */
type LiveProgram = { version: string; description: string }

type Applied = ReadonlyMap<string, string>

/** Returns the oldest version that may run on the database; undefined before it is known. */
export async function findOldestAllowed(client: pg.Client): Promise<string | undefined> {
  if (!(await hasTable(client, 'program_versions'))) return undefined
  return (await client.query<{ oldest: string }>('select oldest from program_versions')).rows[0]?.oldest
}

export async function raiseOldestAllowed(client: pg.Client, oldest: string): Promise<void> {
  await client.query('update program_versions set oldest = $1', [oldest])
}

export async function findOlderPrograms(client: pg.Client, than: string, applied: Applied): Promise<LiveProgram[]> {
  const live = [...(await findReporting(client)), ...(await findSilent(client, applied))]
  return live.filter(({ version }) => isOlderVersion(version, than))
}

async function findReporting(client: pg.Client): Promise<LiveProgram[]> {
  if (!(await hasTable(client, 'processes'))) return []
  const { rows } = await client.query<{ version: string; description: string }>(
    `select version, format('%s %s (%s, seen %s s ago)', role, version, process_id, extract(epoch from now() - seen_at)::int) as description
       from processes
      where seen_at > now() - $1 * interval '1 second'
      order by process_id`,
    [SEEN_WITHIN_SECONDS],
  )
  return rows
}

async function findSilent(client: pg.Client, applied: Applied): Promise<LiveProgram[]> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = $1`,
    [SILENT_NAME],
  )
  const count = rows[0]?.count ?? 0
  if (count === 0) return []
  const isNewest = applied.has(NEEDED_BY_NEWEST_SILENT)
  const description = isNewest ? `${NEWEST_SILENT} or before` : `before ${NEWEST_SILENT}`
  const version = isNewest ? NEWEST_SILENT : OLDER_THAN_ALL
  return [
    { version, description: `programs that do not report their version (${description}), with ${count} connections` },
  ]
}

async function hasTable(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [
    `${SCHEMA}.${table}`,
  ])
  return rows[0]?.found === true
}

/** Throws `StartError` that names these programs and says what to do. */
export function refuse(programs: readonly LiveProgram[], oldest: string): never {
  throw new StartError(
    [
      `Nothing was changed: these programs run on the database, and afterwards it is for ${oldest} and later only.`,
      ...programs.map(({ description }) => `  ${description}`),
      `Replace or stop them first; one that was killed counts for ${SEEN_WITHIN_SECONDS} seconds. With --force they take no more work.`,
    ].join('\n'),
  )
}

/** Waits until programs older than this version have stopped working; not for ever, because one may hang. */
export async function untilNoneIsOlder(client: pg.Client, oldest: string, applied: Applied): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS
  while (performance.now() < deadline && (await findOlderPrograms(client, oldest, applied)).length > 0) {
    await sleep(POLL_MS)
  }
}
