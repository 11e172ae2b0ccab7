import { isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import {
  type ChangesOrder,
  changesText,
  type ChangesValues,
  orderedValues,
  ownParameter,
} from '../../../kernel/db/changes-text.ts'
import { columns, decoded, oneOf, text, time } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { CHANGED } from '../../../record/index.ts'
import { joinUserText } from '../../people/users/index.ts'
import { ACCOUNT_TYPES, type AccountType } from '../../partners/platforms/index.ts'
import { ACCOUNT_STATUSES } from './states.ts'

/** What a list of all users' accounts shows of each, with the names of its record. */
const LISTED = columns('a', {
  id: text('account_id'),
  user_id: decoded('user_id', decodeUserId),
  account_type: oneOf('account_type', ACCOUNT_TYPES),
  status: oneOf('status', ACCOUNT_STATUSES),
  created_at: time('created_at'),
  last_modified_at: time('last_modified_at'),
})
const OWNER = columns('u', { platform_id: text('platform_id') })

const TYPES = ownParameter(0)
const PLATFORM = ownParameter(1)

/** Every change of an account is a transition. */
const CHANGED_AT = 'a.last_modified_at'

/** One statement for each index, because one plan could not serve both. */
const changesList = (name: string, owner: string, order: { since?: string } = {}) =>
  statement(
    name,
    changesText({
      columns: LISTED.list,
      joined: OWNER.list,
      from: 'accounts a',
      join: joinUserText('a'),
      changedAt: CHANGED_AT,
      ...order,
      id: 'a.account_id',
      state: 'a.status',
      states: ACCOUNT_STATUSES,
      where: `(${TYPES}::text[] is null or a.account_type = any (${TYPES})) and ${owner}`,
    }),
  )

const OF_ALL = isOwn(PLATFORM, 'a.platform_id')
const OF_ONE = `a.platform_id = ${PLATFORM}`
const NEWEST = {
  all: changesList('accounts_changed', OF_ALL),
  ofPlatform: changesList('accounts_changed_of_platform', OF_ONE),
}
const OLDEST = {
  all: changesList('accounts_oldest', OF_ALL, { since: CHANGED_AT }),
  ofPlatform: changesList('accounts_oldest_of_platform', OF_ONE, { since: CHANGED_AT }),
}

type AccountFilter = ChangesValues & ChangesOrder & { types: AccountType[] | undefined; scope: Scope }

export async function listChangedAccounts(db: Queryable, filter: AccountFilter) {
  const { platformId } = filter.scope
  const { all, ofPlatform } = filter.isOldestFirst ? OLDEST : NEWEST
  const list = platformId === null ? all : ofPlatform
  const rows = await db.query<object>(list, [...orderedValues(filter), filter.types ?? null, platformId])
  return rows.map((row) => ({ ...LISTED.decode(row), ...OWNER.decode(row), ...CHANGED.decode(row) }))
}
