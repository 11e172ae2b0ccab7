import { type Clock, todayIn } from '../../../kernel/clock.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { PeriodicTask } from '../../../kernel/jobs/periodic.ts'
import { type EntryRow, toEntryRow } from '../../../record/index.ts'
import { type CardCheckRow, writeCardChecks } from './card-check-store.ts'
import type { CardHolder } from './store.ts'

const WRITE_INTERVAL_MS = 500
const WRITE_BATCH_SIZE = 1_000
/** About 5 MB. Beyond it cards are not checked, as nothing else is shown that cannot be recorded. */
const PENDING_MAX = 10_000

export type CardChecks = ReturnType<typeof createCardChecks>

type Pending = { check: CardCheckRow; entry: EntryRow }
type NewCheck = { holder: CardHolder; network: string; requestId: string }

/**
 * Records in memory who checked a card, which costs the check nothing; written twice a second and at shutdown, one entry for each card, day
 * and network.
 */
export function createCardChecks(db: Queryable, clock: Clock, { pendingMax = PENDING_MAX } = {}) {
  const pending = new Map<string, Pending>()

  return {
    note({ holder, network, requestId }: NewCheck): void {
      const { userId, policyId, memberId } = holder
      const place = { user_id: userId, policy_id: policyId, member_id: memberId, day: todayIn(clock), network }
      const key = Object.values(place).join(' ')
      if (pending.has(key)) return
      const author = { caller: { kind: 'system', job: 'card-check' }, requestId, at: clock.now() } as const
      const entry = toEntryRow(author, { action: 'read', subject: policyId, userId })
      pending.set(key, { check: { ...place, audit_id: entry.audit_id }, entry })
    },

    /** Returns true while more checks could not be recorded. */
    isFull: () => pending.size >= pendingMax,

    write,
    writingTask: { name: 'write-card-checks', every_ms: WRITE_INTERVAL_MS, run: write } satisfies PeriodicTask,
  }

  /** Writes the pending checks; after an error they stay pending. */
  async function write(): Promise<void> {
    while (pending.size > 0) {
      const batch = [...pending].slice(0, WRITE_BATCH_SIZE)
      await writeCardChecks(
        db,
        batch.map(([, one]) => one),
      )
      for (const [key] of batch) pending.delete(key)
    }
  }
}
