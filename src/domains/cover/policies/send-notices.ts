import { todayIn } from '../../../kernel/clock.ts'
import type { Day } from '../../../kernel/date.ts'
import { newId } from '../../../kernel/id.ts'
import { applyWithRetry, type Deps, unchanged } from '../../../record/index.ts'
import { type DueNotices, hasDueNotices, listDueNotices, SEND_NOTICES } from './notice-store.ts'
import { decideNotices } from './decide-notices.ts'
import { CALENDAR } from './states.ts'
import { BATCH, workOff } from './work-off.ts'

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

/** Sends the notices of a policy read with the batch; one that was changed concurrently is for the next round. */
function sendOf(deps: Deps, policy: DueNotices, notices: Notices): Promise<number> {
  let isFirst = true
  return applyWithRetry(
    deps,
    { caller: CALENDAR, requestId: newId('job') },
    () => {
      const decided = isFirst ? decideNotices(policy, notices) : undefined
      isFirst = false
      if (!decided) return unchanged(0)
      const { userId, id, revision, noticesFrom } = policy
      return {
        result: 1,
        events: decided.events,
        ...SEND_NOTICES.with({
          user_id: userId,
          policy_id: id,
          revision,
          sent_from: noticesFrom,
          notices_from: decided.noticesFrom,
        }),
      }
    },
    { serializeBy: policy.id },
  )
}
