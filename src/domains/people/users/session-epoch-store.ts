import { LOCK_OUT_PARTS } from '../../../access/otp.ts'
import { LINKED_REVOCATIONS } from '../../../access/revocations.ts'
import { SCOPE_NAMES, scopeValues, USER_IS_IN_SCOPE, type UserScope } from '../../../access/scope.ts'
import { integer, text } from '../../../kernel/db/columns.ts'
import { foundRow, type Queryable } from '../../../kernel/db/database.ts'
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
