import { CircuitOpenError } from '../../../kernel/outbound/circuit-breaker.ts'
import { type AskContext, askStatus } from './ask-status.ts'
import {
  askLater,
  claimQuestions,
  findSweep,
  listNextToAsk,
  restartSweep,
  saveSweep,
  settleQuestion,
  type Sweep,
} from './sweep-store.ts'

/** Wallets asked for in a round, and how many of them at a time. A round is a second. */
const ASKED_MAX = 20
const AT_ONCE = 4

/** The last user whose id was made here is below: the first digit is 0 or 1. */
const MADE_IDS = 200_000_000_000
const LAST_ID = '999999999999'
/** The share of the hours that a sweep is planned for, so that one that was held up is still in time. */
const PLANNED_SHARE = 0.9

export type SweepContext = AskContext & {
  /** Within how many hours every wallet is asked for. */
  statusHours: number
}

/**
 * Runs a round of questions to the operator: what is due at once, then the next wallets of the sweep, whose position in the order of
 * users follows the time. Ids are random, so the requests are spread evenly and their number is not needed. Asks nothing while the
 * circuit is open; then the first question probes the operator.
 */
export async function sweepWallets(context: SweepContext): Promise<void> {
  const { db, operator, statusHours } = context
  if (operator.isCircuitOpen()) return
  const limit = operator.isHalfOpen() ? 1 : ASKED_MAX
  const questions = await claimQuestions(db, limit)
  const isThrough = await inParts(questions, async (question) => {
    if (await askStatus(context, question.user_id)) await settleQuestion(db, question)
  })
  if (!isThrough || questions.length === limit) return
  await sweepOn(context, { hours: statusHours, limit: limit - questions.length })
}

async function sweepOn(context: SweepContext, { hours, limit }: { hours: number; limit: number }): Promise<void> {
  const { db } = context
  const sweep = await findSweep(db)
  const upTo = findTarget(sweep, hours)
  const users = await listNextToAsk(db, { after: sweep.position, upTo, limit })
  const isThrough = await inParts(
    users,
    async (userId) => {
      if (!(await askStatus(context, userId))) await askLater(db, userId)
    },
    (userId) => askLater(db, userId),
  )
  if (!isThrough) return // the next round begins with these again
  if (upTo === LAST_ID && users.length < limit) await restartSweep(db)
  else if (users.length > 0) await saveSweep(db, users.at(-1) as string)
}

/** Returns up to which user a sweep should be. */
export function findTarget({ elapsed_s }: Pick<Sweep, 'elapsed_s'>, hours: number): string {
  const share = elapsed_s / (hours * 3_600 * PLANNED_SHARE)
  return share >= 1 ? LAST_ID : String(Math.floor(share * MADE_IDS)).padStart(LAST_ID.length, '0')
}

/**
 * Runs a task for each item, some at a time. Returns false when the circuit has opened; an item that fails otherwise is left for
 * later.
 */
async function inParts<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
  onFailure: (item: Item) => Promise<unknown> = async () => {},
): Promise<boolean> {
  const isThrough = (item: Item): Promise<boolean> =>
    run(item).then(
      () => true,
      async (error: unknown) => {
        if (error instanceof CircuitOpenError) return false
        await onFailure(item)
        return true
      },
    )
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const linked = await Promise.all(items.slice(at, at + AT_ONCE).map(isThrough))
    if (linked.includes(false)) return false
  }
  return true
}
