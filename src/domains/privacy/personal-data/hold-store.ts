import { decodeUserId } from '../../../access/user-id.ts'
import { isoTime } from '../../../kernel/clock.ts'
import { columns, day, decoded, nullable, type RecordOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { LinkedWrite } from '../../../kernel/db/write-statement.ts'

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

const BATCH = 100

const LIST_OVER = statement(
  'erasure_holds_over',
  'select user_id from erasure_holds where held_until < $1 order by held_until limit $2',
)

const END = statement(
  'erasure_holds_end',
  `with ended as (delete from erasure_holds where user_id = $1 and held_until < $2 returning user_id)
   update erasures set next_at = $3 where user_id = $1 and exists (select from ended)`,
)

/** Destroys the data keys whose hold is over, and has the rows deleted that waited for it. Harmless when two workers do it. */
export async function endHolds(db: Queryable, now: Date): Promise<void> {
  const today = isoTime(now).slice(0, 10) // as the database counts days
  for (;;) {
    const over = await db.query<{ user_id: string }>(LIST_OVER, [today, BATCH])
    for (const { user_id: userId } of over) await db.query(END, [userId, today, now])
    if (over.length < BATCH) return
  }
}

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
