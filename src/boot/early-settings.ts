import { listProgramsBefore } from '../kernel/db/inspect-database.ts'
import type { Queryable } from '../kernel/db/database.ts'
import { StartError } from '../kernel/start-error.ts'
import type { Config } from '../settings/config.ts'

/** What programs before this version cannot read, so that none of them may run alongside. */
const SINCE = '0.3.0'

type Early = Pick<Config, 'sealing' | 'auditArchiveDays' | 'erasure'>

/** Throws `StartError` that names the older programs which run, where a setting makes this one write what they cannot read. */
export async function refuseEarlySettings(db: Queryable, config: Early): Promise<void> {
  const names = listNames(config)
  if (names.length === 0) return
  const older = await listProgramsBefore(db, SINCE)
  if (older.length === 0) return
  const programs = older.map(({ role, build, count }) => `${count} ${role} ${build}`)
  throw new StartError(
    `Programs run that cannot read what ${names.join(' and ')} would have this one write: ${programs.join(', ')}. ` +
      `Unset ${names.length === 1 ? 'it' : 'them'} until they are replaced.`,
  )
}

function listNames({ sealing, auditArchiveDays, erasure }: Early): string[] {
  return [
    ...(sealing === 'aes-256-gcm' ? [] : ['SEALING']),
    ...(auditArchiveDays === null ? [] : ['AUDIT_ARCHIVE_DAYS']),
    ...(erasure.holdDays === 0 ? [] : ['ERASURE_HOLD_DAYS']),
  ]
}
