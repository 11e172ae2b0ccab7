import type { Actor } from '../../../access/caller.ts'
import { utcDay } from '../../../kernel/clock.ts'
import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, unchanged } from '../../../record/index.ts'
import type { ErasureContext } from './decide-erasure.ts'
import { END_HOLD, listHoldDays, listHoldsOver } from './hold-store.ts'

const BATCH = 100

/**
 * Destroys the data keys whose hold is over, each with an entry in the audit, and has the rows deleted that waited for it. Of two
 * workers one does it.
 */
export async function endHolds({ db, clock }: Pick<ErasureContext, 'db' | 'clock'>): Promise<void> {
  const today = utcDay(clock.now())
  for (;;) {
    const over = await listHoldsOver(db, today, BATCH)
    for (const userId of over) {
      const author: Actor = { caller: { kind: 'system', job: 'end-hold' }, requestId: newId('job'), userId }
      await applyWithRetry({ db, clock }, author, async ({ at }) => {
        const isHeld = (await listHoldDays(db, [userId])).has(userId)
        return isHeld ? { result: undefined, ...END_HOLD.with({ user_id: userId, today, at }) } : unchanged(undefined)
      })
    }
    if (over.length < BATCH) return
  }
}
