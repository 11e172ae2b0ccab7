import type { Actor } from '../../access/caller.ts'
import { newId } from '../../kernel/id.ts'
import { commit } from '../../record/index.ts'
import { eraseUser } from './erase-user.ts'
import { forgetRest, type ForgettingContext } from './run-erasures.ts'
import { findErasure, isErased, listTombstones } from './store.ts'

const BATCH = 500

/** What is kept of an erasure outside the database, so that a restored one can forget again: no more than this. */
export type Tombstone = { user_id: string; erased_at: string }

/** Hands every erasure that was made to `each`, by the ids of their users. */
export async function listErasures(
  { db }: Pick<ForgettingContext, 'db'>,
  each: (tombstone: Tombstone) => void,
): Promise<void> {
  for (let after = ''; ; ) {
    const batch = await listTombstones(db, after, BATCH)
    for (const { userId, erasedAt } of batch) if (erasedAt) each({ user_id: userId, erased_at: erasedAt.toISOString() })
    after = batch.at(-1)?.userId ?? after
    if (batch.length < BATCH) return
  }
}

/** A line of a list that is no tombstone: which one, counted from 1. */
export class TombstoneError extends Error {
  constructor(line: number) {
    super(`Line ${line} is no tombstone. It must be as \`erasures list\` prints it; nothing was erased.`)
    this.name = 'TombstoneError'
  }
}

/** Reads what `erasures list` printed. Throws `TombstoneError` for the first line that is none. */
export function parseTombstones(text: string): Tombstone[] {
  return text.split('\n').flatMap((line, index) => (line.trim() === '' ? [] : [parseTombstone(line, index + 1)]))
}

function parseTombstone(text: string, line: number): Tombstone {
  try {
    const { user_id, erased_at } = JSON.parse(text) as Partial<Record<keyof Tombstone, unknown>>
    const isTime = typeof erased_at === 'string' && new Date(erased_at).toISOString() === erased_at
    if (typeof user_id === 'string' && /^\d{12}$/.test(user_id) && isTime) return { user_id, erased_at }
  } catch {
    // reported below, with the line
  }
  throw new TombstoneError(line)
}

/** How many were erased again, were erased already, and are in no row of this database; whose wallet held money again. */
export type ApplyReport = { erased: number; before: number; unknown: number; withMoney: string[] }

/**
 * Erases again whoever was erased before this database was restored. What it says of money or policies is older than the erasure
 * and stands in no way. Run again it changes nothing, and after a crash it goes on.
 */
export async function applyErasures(
  context: ForgettingContext,
  tombstones: readonly Tombstone[],
  onProgress: (done: number) => void,
): Promise<ApplyReport> {
  const report: ApplyReport = { erased: 0, before: 0, unknown: 0, withMoney: [] }
  for (const [index, tombstone] of tombstones.entries()) {
    await applyOne(context, tombstone, report)
    onProgress(index + 1)
  }
  return report
}

async function applyOne(context: ForgettingContext, tombstone: Tombstone, report: ApplyReport): Promise<void> {
  const { db } = context
  const { user_id: userId } = tombstone
  const known = await isErased(db, userId)
  if (known === undefined) return void report.unknown++
  const erasedBefore = new Date(tombstone.erased_at)
  if (!known) {
    const by: Actor = {
      caller: { kind: 'system', job: 'command-line' },
      requestId: newId('job'),
      operation: 'eraseUser',
      userId,
    }
    const { heldMoney } = await commit(context, by, (now) =>
      eraseUser(context, { userId, endsPolicies: true, erasedBefore }, now),
    )
    if (heldMoney) report.withMoney.push(userId)
  }
  report[known ? 'before' : 'erased']++
  await forgetRest(context, await findErasure(db, userId))
}
