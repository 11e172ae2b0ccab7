import { todayIn } from '../../../kernel/clock.ts'
import type { Deps } from '../../../record/index.ts'
import { fillNotices, fillSince, listOpenPolicies, storeDays } from './recount-store.ts'
import { nextDayOf, recountedGrace } from './states.ts'

/**
 * Stores the days of the calendar again for open policies whose stored days are not those of today's rules, and returns
 * their number: after a change of the rules, and for rows that an earlier version wrote alongside this one during an
 * upgrade. It depends on the rows alone, on no clock. A policy that changes concurrently is stored by today's
 * rules anyway, and skipped. Makes no transition; the calendar does. Also stores since when a policy has its status, where an earlier version
 * left it out, and that a term which it has issued early is to be announced.
 */
export async function recountCalendar(
  { db, calendar }: Pick<Deps, 'db' | 'calendar'>,
  stop?: AbortSignal,
): Promise<number> {
  const today = todayIn(calendar)
  let after = { userId: '', id: '' }
  let stored = 0
  while (true) {
    const page = await listOpenPolicies(db, after)
    for (const policy of page) {
      const graceUntil = recountedGrace(policy)
      const days = { graceUntil, nextMoveOn: nextDayOf({ ...policy, graceUntil }) }
      if (days.graceUntil === policy.graceUntil && days.nextMoveOn === policy.nextMoveOn) continue
      if (await storeDays(db, policy, days)) stored++
    }
    stored += await fillSince(
      db,
      page.filter(({ isSinceUnsure }) => isSinceUnsure),
    )
    const renewed = page.filter(
      ({ noticesFrom, startDate, coveredFrom }) =>
        noticesFrom === null && coveredFrom !== null && startDate > coveredFrom && startDate >= today,
    )
    stored += await fillNotices(db, renewed, today)
    const last = page.at(-1)
    if (!last || stop?.aborted) return stored
    after = last
  }
}
