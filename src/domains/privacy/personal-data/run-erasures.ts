import type { Actor } from '../../../access/caller.ts'
import { utcDay } from '../../../kernel/clock.ts'
import { addDays, type Day } from '../../../kernel/date.ts'
import { newId } from '../../../kernel/id.ts'
import { describe } from '../../../kernel/http/problems.ts'
import type { Log } from '../../../kernel/log.ts'
import { ProblemError } from '../../../kernel/problem-error.ts'
import { applyWithRetry } from '../../../record/index.ts'
import { decideErasure, type ErasureContext } from './decide-erasure.ts'
import type { FieldErasure, Ground } from './field-erasure.ts'
import { endHolds } from './end-holds.ts'
import type { Erasure } from './records.ts'
import { listDue, runSteps, scheduleNextRun } from './store.ts'

const BATCH = 100
const MINUTE_MS = 60_000
/** Longer than a one-time code lives and any concurrent request takes: what they leave behind is deleted too. */
const SETTLED_MS = 10 * MINUTE_MS
/** Delay before the next attempt when the wallet holds money or a policy is in force at the end of the notice. */
const IN_USE_MS = 60 * MINUTE_MS

/** A margin after the last day of a term, for a database whose clock differs. */
const LATER_THAT_DAY = 'T12:00:00Z'

/** The dependencies of a worker's erasures; `fieldErasures` is the list in src/data-map/erase.ts. */
export type ErasureRunContext = ErasureContext & { fieldErasures: readonly FieldErasure[] }

/** The actor of erasures after their notice. */
const ERASING = { kind: 'system', job: 'erase-user' } as const

/**
 * Executes the erasures whose notice is over, destroys the keys whose hold is over, and deletes what is left of erased users. Restartable at any point, also
 * by another worker: each step deletes whatever still exists. An erasure that fails does not block the others; the
 * first error is thrown at the end.
 */
export async function runErasures(context: ErasureRunContext, log: Log): Promise<void> {
  const done: string[] = [] // not listed again in this run
  const failures: unknown[] = []
  await endHolds(context)
  for (;;) {
    const due = await listDue(context.db, { at: context.clock.now(), without: done, limit: BATCH })
    for (const erasure of due) {
      done.push(erasure.userId)
      try {
        await continueErasure(context, erasure, log)
      } catch (error) {
        if (error instanceof ProblemError && error.code === 'unavailable') throw error
        log.warn({ user_id: erasure.userId, error: describe(error) }, 'an erasure could not go on')
        failures.push(error)
      }
    }
    if (due.length < BATCH) break
  }
  if (failures.length > 0) throw failures[0]
}

async function continueErasure(context: ErasureRunContext, erasure: Erasure, log: Log): Promise<void> {
  return erasure.erasedAt === null ? eraseAfterNotice(context, erasure, log) : eraseRest(context, erasure)
}

async function eraseAfterNotice(context: ErasureContext, { userId }: Erasure, log: Log): Promise<void> {
  const author: Actor = { caller: ERASING, requestId: newId('job'), userId }
  try {
    const { until } = await applyWithRetry(
      context,
      author,
      (now) => decideErasure(context, { userId, isDue: true }, now),
      {
        serializeBy: userId,
      },
    )
    if (context.erasure.holdDays > 0 && until.hold === null)
      log.warn({ user_id: userId }, 'an erased user was to be held and is not, because no key opens the data')
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === 'conflict')) throw error
    const now = context.clock.now()
    await scheduleNextRun(context.db, userId, { now, nextAt: new Date(now.getTime() + IN_USE_MS) })
    throw error
  }
}

/** Deletes what is left of an erased user and data past its retention, and schedules the next run. */
export async function eraseRest(
  { db, clock, fieldErasures }: Pick<ErasureRunContext, 'db' | 'clock' | 'fieldErasures'>,
  erasure: Erasure,
): Promise<void> {
  const { userId } = erasure
  const now = clock.now()
  const today = utcDay(now)
  const isOver = ({ ground }: FieldErasure) => {
    const until = findEnd(erasure, ground)
    return until !== null && until < today
  }
  const waits = ({ hold }: FieldErasure) => erasure.heldUntil !== null && hold === 'rows'
  const steps = fieldErasures.flatMap((field) => (waits(field) ? [] : (field.step ?? [])))
  const ends = fieldErasures.filter(isOver).flatMap(({ end }) => end ?? [])
  await runSteps(db, userId, [...steps, ...ends])
  await scheduleNextRun(db, userId, { now, nextAt: nextLook(erasure, { now, today }) })
}

function findEnd({ ledgerUntil, policiesUntil }: Erasure, ground: Ground | undefined): Day | null {
  if (ground === 'ledger') return ledgerUntil
  return ground === 'policies' ? policiesUntil : null
}

/** Returns when to run again: once all requests in progress have ended, then after each term. Pure. */
function nextLook(erasure: Erasure, { now, today }: { now: Date; today: Day }): Date | null {
  const { askedAt, erasedAt, ledgerUntil, policiesUntil } = erasure
  const settled = new Date(Math.max(askedAt.getTime(), erasedAt?.getTime() ?? 0) + SETTLED_MS)
  if (now < settled) return settled
  const ends = [ledgerUntil, policiesUntil].flatMap((until) => (until !== null && until >= today ? [until] : []))
  const [first] = ends.toSorted((a, b) => (a < b ? -1 : 1))
  return first === undefined ? null : new Date(`${addDays(first, 1)}${LATER_THAT_DAY}`)
}
