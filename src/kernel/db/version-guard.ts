import { onlyRow, type Queryable, statement } from './database.ts'
import { describe } from '../http/problems.ts'
import { newId } from '../id.ts'
import { startPeriodic } from '../jobs/periodic.ts'
import type { Log } from '../log.ts'
import { StartError } from '../start-error.ts'
import { BUILD, isOlderVersion, RELEASE, VERSION } from '../program-version.ts'

const HEARTBEAT_MS = 5_000
const KEPT_SECONDS = 3_600

const FIND_OLDEST = statement('program_versions_find', 'select oldest from program_versions')

/** One statement for both, so that a process costs the database one each five seconds. */
const BEAT = statement(
  'processes_beat',
  `insert into processes (process_id, role, version, build, signing_keys) values ($1, $2, $3, $4, $5)
       on conflict (process_id) do update set seen_at = now()
   returning (select oldest from program_versions) as oldest`,
)

const DELETE = statement('processes_delete', 'delete from processes where process_id = $1')

/** Of processes that were killed. */
const DELETE_OLD = statement(
  'processes_purge',
  `delete from processes where seen_at < now() - $1 * interval '1 second'`,
)

/** Knows whether this program is too old for the database, which a later version may have contracted. */
export type VersionGuard = Awaited<ReturnType<typeof createVersionGuard>>

/** `role` is what this process runs, as `migrate` names it; `signingKeys` are the kids of its signing keys. */
type GuardSettings = { role: string; signingKeys: readonly string[]; log: Log; every_ms?: number }

/**
 * Reports that this process runs, and reads the oldest version that may. When that is a later one, the process no longer counts as
 * running, because it takes no work.
 */
export async function createVersionGuard(
  db: Queryable,
  { role, signingKeys, log, every_ms = HEARTBEAT_MS }: GuardSettings,
) {
  const processId = newId('prc')
  const stops: (() => Promise<unknown>)[] = []
  let outdated = false
  let writtenAt = performance.now()

  async function takeNoMoreWork(oldest: string): Promise<void> {
    outdated = true
    log.error({ version: BUILD, oldest }, 'this program is too old for the database and takes no more work; replace it')
    for (const stop of stops) {
      await stop().catch((error: unknown) => log.warn({ error: describe(error) }, 'work did not stop in order'))
    }
    await db.query(DELETE, [processId])
  }

  async function beat(): Promise<void> {
    if (outdated) return
    const values = [processId, role, RELEASE, BUILD, signingKeys]
    const { oldest } = onlyRow(await db.query<{ oldest: string }>(BEAT, values))
    writtenAt = performance.now()
    if (isOlderVersion(RELEASE, oldest)) await takeNoMoreWork(oldest)
  }

  await db.query(DELETE_OLD, [KEPT_SECONDS])
  await beat()
  const stopBeating = startPeriodic([{ name: 'version-guard', every_ms, run: beat }], log)
  return {
    /** True from then on: a program does not get younger. */
    isOutdated: () => outdated,
    /** For how long the database has taken no heartbeat of this process, which is a write. */
    unwritten_s: () => (performance.now() - writtenAt) / 1_000,
    /** Calls this once, when the program turns out to be too old. */
    onOutdated: (stop: () => Promise<unknown>) => void stops.push(stop),
    async stop(): Promise<void> {
      await stopBeating()
      await db.query(DELETE, [processId]).catch(() => {}) // without a database, it counts for some seconds more
    },
  }
}

/** Throws `StartError` when this program is older than the database allows. */
export async function checkVersionAllowed(db: Queryable): Promise<void> {
  const { oldest } = onlyRow(await db.query<{ oldest: string }>(FIND_OLDEST))
  if (isOlderVersion(RELEASE, oldest)) throw new StartError(tooOld(oldest))
}

/** The sentence for a program that is older than the database allows. */
export const tooOld = (oldest: string): string =>
  `This program is ${VERSION}, and the database has been upgraded for ${oldest} and later. Run a later version.`
