import { LOCK_OUT_PARTS } from '../../../access/otp.ts'
import { LINKED_REVOCATIONS } from '../../../access/revocations.ts'
import { SCOPE_NAMES, scopeValues, USER_IS_IN_SCOPE, type UserScope } from '../../../access/scope.ts'
import { integer, text } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../../../kernel/db/database.ts'
import { namedStatement } from '../../../kernel/db/named-statement.ts'
import { recordedWrite } from '../../../record/index.ts'

const FIND = namedStatement(
  'users_find_session_epoch',
  SCOPE_NAMES,
  `select u.session_epoch from users u where u.user_id = :user_id and ${USER_IS_IN_SCOPE}`,
)

/** Returns the epoch of a user's sessions. Throws 404 `not_found`; decrypts nothing. */
export const findSessionEpoch = async (db: Queryable, scope: UserScope): Promise<number> =>
  foundRow(await db.query<{ session_epoch: number }>(FIND, scopeValues(scope))).session_epoch

const RAISE = statement(
  'users_raise_session_epoch',
  'update users set session_epoch = $2 where user_id = $1 and session_epoch < $2 returning user_id',
)

/** Begins the epoch that a user had before a database was restored; false when it has begun. */
export const raiseSessionEpoch = async (db: Queryable, userId: string, epoch: number): Promise<boolean> =>
  (await db.query(RAISE, [userId, epoch])).length > 0

const DELETE_PHONE = statement(
  'user_phones_delete_former',
  `delete from user_phones where phone_hash = $2 and user_id = $1 returning user_id`,
)

/** Has a phone lead to a user no longer, as before a database was restored; false when it does not. */
export const deleteFormerPhone = async (db: Queryable, userId: string, hash: string): Promise<boolean> =>
  (await db.query(DELETE_PHONE, [userId, Buffer.from(hash, 'hex')])).length > 0

/** Begins the next epoch. The revision stays the same, because no visible field changes. */
export const END_ALL_OF_USER = recordedWrite({
  name: 'users_end_sessions',
  values: { id: text('user_id'), epoch: integer('session_epoch') },
  update: 'users u',
  set: 'session_epoch = u.session_epoch + 1',
  key: 'u.user_id = :user_id',
  guard: 'u.session_epoch = :session_epoch and u.data_key is not null',
  linked: [...LOCK_OUT_PARTS, LINKED_REVOCATIONS],
  events: false,
})
