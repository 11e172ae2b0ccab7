import type { Actor } from '../../../access/caller.ts'
import { type Clock, utcDay } from '../../../kernel/clock.ts'
import { type Day, isDay } from '../../../kernel/date.ts'
import { newId } from '../../../kernel/id.ts'
import { UsageError } from '../../../kernel/start-error.ts'
import { applyWithRetry } from '../../../record/index.ts'
import { decideErasure } from './decide-erasure.ts'
import { eraseRest, type ErasureRunContext } from './run-erasures.ts'
import { findErasure, isErased, listTombstones } from './store.ts'

const BATCH = 500

/** The record of an erasure kept outside the database, so that it can be repeated after a restore; nothing more. */
export type Tombstone = {
  user_id: string
  erased_at: string
  /** The last day of the hold; left out where nothing is held. */
  held_until?: Day
}

/** Passes every executed erasure to `each`, in the order of user ids. */
export async function listErasures(
  { db }: Pick<ErasureRunContext, 'db'>,
  each: (tombstone: Tombstone) => void,
): Promise<void> {
  for (let after = ''; ; ) {
    const batch = await listTombstones(db, after, BATCH)
    for (const { userId, erasedAt, heldUntil } of batch)
      if (erasedAt)
        each({ user_id: userId, erased_at: erasedAt.toISOString(), ...(heldUntil && { held_until: heldUntil }) })
    after = batch.at(-1)?.userId ?? after
    if (batch.length < BATCH) return
  }
}

/** Parses the output of `erasures list`. Throws `UsageError` for the first malformed line. */
export function parseTombstones(text: string): Tombstone[] {
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseTombstone(line, index + 1)]))
}

export function parseTombstone(text: string, line: number): Tombstone {
  try {
    const { user_id, erased_at, held_until } = JSON.parse(text) as Partial<Record<keyof Tombstone, unknown>>
    const isTime = typeof erased_at === 'string' && new Date(erased_at).toISOString() === erased_at
    const isUser = typeof user_id === 'string' && /^\d{12}$/.test(user_id)
    if (isUser && isTime && held_until === undefined) return { user_id, erased_at }
    if (isUser && isTime && typeof held_until === 'string' && isDay(held_until))
      return { user_id, erased_at, held_until }
  } catch {
    // reported below, with the line
  }
  throw new UsageError(
    `Line ${line} is not a tombstone. Pass the output of \`erasures list\`, or the list, unchanged; nothing was erased.`,
  )
}

/**
 * The number of users erased again, already erased, and unknown to this database; and the ids of those whose wallet held money
 * again, and of those who were to be held and are not, because no key opens their data.
 */
type ApplyReport = { erased: number; before: number; unknown: number; withMoney: string[]; notHeld: string[] }

/**
 * Erases users again who were erased before this database was restored. Its money and policies predate the erasure, so
 * they do not prevent it. Idempotent; continues after a crash.
 */
export async function applyErasures(
  context: ErasureRunContext,
  tombstones: readonly Tombstone[],
  onProgress: (done: number) => void,
): Promise<ApplyReport> {
  const report: ApplyReport = { erased: 0, before: 0, unknown: 0, withMoney: [], notHeld: [] }
  for (const [index, tombstone] of tombstones.entries()) {
    await applyOne(context, tombstone, report)
    onProgress(index + 1)
  }
  return report
}

/** Returns the last day of the hold of an erasure; null where there was none or it is over. */
export const stillHeld = ({ held_until }: Tombstone, clock: Clock): Day | null =>
  held_until !== undefined && held_until >= utcDay(clock.now()) ? held_until : null

async function applyOne(context: ErasureRunContext, tombstone: Tombstone, report: ApplyReport): Promise<void> {
  const { db } = context
  const { user_id: userId } = tombstone
  const wasErased = await isErased(db, userId)
  if (wasErased === undefined) return void report.unknown++
  const erasedBefore = new Date(tombstone.erased_at)
  if (!wasErased) {
    const author: Actor = {
      caller: { kind: 'system', job: 'command-line' },
      requestId: newId('job'),
      operation: 'eraseUser',
      userId,
    }
    const heldUntil = stillHeld(tombstone, context.clock)
    const { heldMoney, until } = await applyWithRetry(context, author, (now) =>
      decideErasure(context, { userId, endsPolicies: true, erasedBefore, heldUntil }, now),
    )
    if (heldMoney) report.withMoney.push(userId)
    if (heldUntil !== null && until.hold === null) report.notHeld.push(userId)
  }
  report[wasErased ? 'before' : 'erased']++
  await eraseRest(context, await findErasure(db, userId))
}
