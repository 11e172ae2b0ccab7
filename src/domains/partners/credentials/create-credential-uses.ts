import type { CredentialUses } from '../../../access/authenticate.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'

const MINUTE_MS = 60_000
const WRITE_MS = 5_000

/** Skips rows that another process is writing: it writes the same minute. */
const WRITE = statement(
  'credentials_write_uses',
  `with locked as (
     select c.credential_id, u.at
       from unnest($1::text[], $2::timestamptz[]) as u (credential_id, at)
       join credentials c on c.credential_id = u.credential_id and (c.last_used_at is null or c.last_used_at < u.at)
        for no key update of c skip locked
   )
   update credentials c set last_used_at = h.at from locked h where c.credential_id = h.credential_id`,
)

/** Tracks when credentials were last used, to the minute: in memory, and written every few seconds where it changed. */
export function createCredentialUses(db: Queryable, clock: Clock): CredentialUses {
  const minutes = new Map<string, number>() // last recorded minute; bounded by the number of credentials
  const unwritten = new Set<string>()

  /** Writes the pending uses; after an error they stay pending. */
  async function write(): Promise<void> {
    const ids = [...unwritten]
    if (ids.length === 0) return
    unwritten.clear()
    try {
      await db.query(WRITE, [ids, ids.map((id) => new Date((minutes.get(id) ?? 0) * MINUTE_MS))])
    } catch (error) {
      for (const id of ids) unwritten.add(id)
      throw error
    }
  }

  return {
    write,
    writingTask: { name: 'write-credential-uses', every_ms: WRITE_MS, run: write },

    note(credentialId: string): void {
      const minute = Math.floor(clock.now().getTime() / MINUTE_MS)
      if (minutes.get(credentialId) === minute) return
      minutes.set(credentialId, minute)
      unwritten.add(credentialId)
    },
  }
}
