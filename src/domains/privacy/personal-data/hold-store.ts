import { decodeUserId } from '../../../access/user-id.ts'
import { columns, day, decoded, nullable, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Day } from '../../../kernel/date.ts'
import type { LinkedWrite } from '../../../kernel/db/write-statement.ts'
import { recordedWrite } from '../../../record/index.ts'

/** The last day of the hold `h` of an erasure; null without one. */
export const HELD = columns('h', { heldUntil: nullable(day('held_until')) })

/**
 * Keeps the wrapped data key until the last day of the hold, with what the same statement clears in the row of the user: it reads the
 * row as it was. Writes nothing without a hold.
 */
export const LINKED_HOLD: LinkedWrite = {
  name: 'held',
  columns: null,
  text: `insert into erasure_holds (user_id, held_until, key_id, wrapped_key, sealed, reference_sealed, id_proof_last4)
     select u.user_id, :held_until::date, :hold_key_id, :held_key, u.sealed, u.reference_sealed, u.id_proof_last4
       from changed
       join users u on u.user_id = :user_id
      where :held_until::date is not null`,
}

const LIST_OVER = statement(
  'erasure_holds_over',
  'select user_id from erasure_holds where held_until < $1 order by held_until limit $2',
)

/** Returns the ids of users whose hold was over before this day, the earliest first. */
export const listHoldsOver = async (db: Queryable, today: Day, limit: number): Promise<string[]> =>
  (await db.query<{ user_id: string }>(LIST_OVER, [today, limit])).map(({ user_id }) => user_id)

/** Ends a hold that is over: deletes the wrapped key and the copy, and lets the rows go that waited for it. */
export const END_HOLD = recordedWrite({
  name: 'erasure_holds_end',
  values: { userId: text('user_id'), today: day('today'), at: time('at') },
  single: `ended as (
       delete from erasure_holds where user_id = :user_id and held_until < :today::date returning user_id
     ), changed as (
       update erasures set next_at = :at where user_id = :user_id and exists (select from ended) returning 1 as n)`,
  events: false,
})

const LIST_DAYS = statement(
  'erasure_holds_days',
  'select h.user_id, h.held_until from erasure_holds h where h.user_id = any ($1)',
)
const DAYS = columns('h', { userId: text('user_id'), until: day('held_until') })

/** Returns until when these users are held, by their ids. */
export async function listHoldDays(db: Queryable, userIds: readonly string[]): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map()
  const rows = (await db.query<object>(LIST_DAYS, [userIds])).map(DAYS.decode)
  return new Map(rows.map(({ userId, until }) => [userId, until]))
}

const HOLD = columns('h', {
  userId: decoded('user_id', decodeUserId),
  until: day('held_until'),
  keyId: text('key_id'),
  wrappedKey: text('wrapped_key'),
  profile: text('sealed'),
  reference: nullable(text('reference_sealed')),
  idProofLast4: nullable(text('id_proof_last4')),
})
const ERASED = columns('e', { erasedAt: time('erased_at') })

const FIND = statement(
  'erasure_holds_find',
  `select ${HOLD.list}, ${ERASED.list}
     from erasure_holds h
     join erasures e on e.user_id = $1
    where h.user_id = $1`,
)

/** Returns what is held of a user, still wrapped and sealed; undefined when nothing is. */
export async function findHold(
  db: Queryable,
  userId: string,
): Promise<(RecordOf<typeof HOLD> & RecordOf<typeof ERASED>) | undefined> {
  const [row] = await db.query<object>(FIND, [userId])
  return row && { ...HOLD.decode(row), ...ERASED.decode(row) }
}
