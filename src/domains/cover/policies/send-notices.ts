import { todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import type { Deps } from '../../../record/index.ts'
import { type DueNotices, hasDueNotices, listDueNotices, SEND_NOTICES } from './notice-store.ts'
import { decideNotices } from './decide-notices.ts'
import { applyOnce, BATCH, workOff } from './work-off.ts'

type Notices = { noticeDays: readonly number[]; today: Day }

/**
 * Sends every notice that is due, as an event, and returns the number of policies that it has looked at. Each is written once, with one write for each
 * policy: safe to run in several workers, and restartable at any point. Runs after the calendar, whose transitions come first. Costs one index
 * lookup when nothing is due.
 */
export async function sendNotices(
  deps: Deps,
  { noticeDays }: Pick<Notices, 'noticeDays'>,
  stop?: AbortSignal,
): Promise<number> {
  const today = todayIn(deps.calendar)
  if (!(await hasDueNotices(deps.db, today))) return 0
  return workOff(
    (without) => listDueNotices(deps.db, { today, without, limit: BATCH }),
    (policy) => sendOf(deps, policy, { noticeDays, today }),
    stop,
  )
}

/** Sends the notices of a policy read with the batch. */
const sendOf = (deps: Deps, policy: DueNotices, notices: Notices): Promise<number> =>
  applyOnce(deps, policy.id, () => {
    const decided = decideNotices(policy, notices)
    if (!decided) return undefined
    const { userId, id, revision, noticesFrom } = policy
    return {
      events: decided.events,
      ...SEND_NOTICES.with({
        user_id: userId,
        policy_id: id,
        revision,
        sent_from: noticesFrom,
        notices_from: decided.noticesFrom,
      }),
    }
  })
