import { setTimeout as sleep } from 'node:timers/promises'
import type { Actor } from '../access/caller.ts'
import { serialize } from '../kernel/bulkhead.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Database, isRetryableConflict, violatedConstraint } from '../kernel/db/database.ts'
import { type LinkedRows, sendWrite } from '../kernel/db/write-statement.ts'
import { unavailable } from '../kernel/problem-error.ts'
import { findJob } from './catalogue.ts'
import { LINKED_AUDIT, toChangeEntryRow } from './audit.ts'
import { type Author, type Decision, KEY_ONLY } from './change.ts'
import { toHistoryRows } from './history.ts'
import { KEY_CONSTRAINT } from './idempotency.ts'
import { toEventRows } from './outbox.ts'
import { wakeRelay } from './relay.ts'

/** An operation that loses this many times is rejected: something else is wrong. */
const TRIES_MAX = 8
const RETRY_MS_MAX = 10

export type Context = {
  db: Database
  clock: Clock
  /** Decides, and writes nothing: what an import asks before it writes. */
  checksOnly?: true
}

/** Reads and decides. Called again when what it read has changed. */
type Decide<Result> = (author: Author) => Decision<Result> | Promise<Decision<Result>>

type Options<Result> = {
  /** The id of the record it changes: operations of this process on one record are serialised. */
  serializeBy?: string | undefined
  /** Returns the rows that store the response under an idempotency key. */
  keep?: ((result: Result, at: Date) => LinkedRows) | undefined
}

/**
 * Applies a change: reads and decides, writes once, and retries when the write's guard finds a concurrent change. Holds
 * no lock and no connection while it decides. Throws what the decision throws, the change's own conflicts, and 503
 * `unavailable` when every try loses.
 */
export async function applyWithRetry<Result>(
  { db, clock, checksOnly }: Context,
  actor: Actor,
  change: Decide<Result>,
  { serializeBy, keep }: Options<Result> = {},
): Promise<Result> {
  const work = async () => {
    for (let tries = 1; ; tries++) {
      const author = { ...actor, at: clock.now() }
      const decision = await change(author)
      if (checksOnly) return checked(decision)
      const keptRows = keep?.(decision.result, author.at)
      if (!decision.write && !keptRows) return decision.result
      if (await isWritten(db, { decision, author, keptRows, unbatched: tries > 1 })) return decision.result
      if (tries === TRIES_MAX) throw unavailable(new Error('the operation lost to concurrent changes every time'))
      if (tries > 1) await sleep(RETRY_MS_MAX * tries * Math.random())
    }
  }
  return serializeBy === undefined ? work() : serialize(db, serializeBy, work)
}

/** Returns the result of a decision. Throws the conflict that its write would meet now. */
async function checked<Result>({ result, ...decision }: Decision<Result>): Promise<Result> {
  const conflicts = decision.write ? Object.values(decision.conflicts ?? {}) : []
  for (const find of conflicts) {
    const problem = await find()
    if (problem) throw problem
  }
  return result
}

type Attempt = { decision: Decision<unknown>; author: Author; keptRows: LinkedRows | undefined; unbatched: boolean }

/** Returns false when the guard found nothing to change, or a concurrent write won in a way that rereading resolves. */
async function isWritten(db: Database, { decision, author, keptRows, unbatched }: Attempt): Promise<boolean> {
  const change = decision.write ? decision : KEY_ONLY
  const { write, values, rows, history = [], events = [], conflicts } = change
  const input = keptRows ? write.keyed : write.plain
  const call = {
    values,
    rows: {
      ...rows,
      ...(write.history && toHistoryRows(write.history, history, author)),
      ...toEventRows(events, author.at),
      ...(write.audited && LINKED_AUDIT.rows([toChangeEntryRow({ values, history, events, rows }, author)])),
      ...keptRows,
    },
  }
  try {
    if ((await sendWrite(db, input, call, { unbatched })).length === 0) return false
  } catch (error) {
    const key = violatedConstraint(error)
    if (key === KEY_CONSTRAINT) throw error
    const problem = key === undefined ? undefined : await conflicts?.[key]?.()
    if (problem) throw problem
    if (key !== undefined || isRetryableConflict(error)) return false
    throw error
  }
  if (events.some(findJob)) wakeRelay(db)
  return true
}
