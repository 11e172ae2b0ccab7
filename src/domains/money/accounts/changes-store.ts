import { isOwn, type Scope } from '../../../access/scope.ts'
import { decodeUserId } from '../../../access/user-id.ts'
import { changesText, type ChangesValues, changesValues, ownParameter } from '../../../kernel/db/changes-text.ts'
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

/** One statement for each index, because one plan could not serve both. */
const changesList = (name: string, owner: string) =>
  statement(
    name,
    changesText({
      columns: LISTED.list,
      joined: OWNER.list,
      from: 'accounts a',
      join: joinUserText('a'),
      changedAt: 'a.last_modified_at',
      id: 'a.account_id',
      state: 'a.status',
      states: ACCOUNT_STATUSES,
      where: `(${TYPES}::text[] is null or a.account_type = any (${TYPES})) and ${owner}`,
    }),
  )

const ALL = changesList('accounts_changed', isOwn(PLATFORM, 'a.platform_id'))
const OF_PLATFORM = changesList('accounts_changed_of_platform', `a.platform_id = ${PLATFORM}`)

type AccountFilter = ChangesValues & { types: AccountType[] | undefined; scope: Scope }

export async function listChangedAccounts(db: Queryable, filter: AccountFilter) {
  const { platformId } = filter.scope
  const list = platformId === null ? ALL : OF_PLATFORM
  const rows = await db.query<object>(list, [...changesValues(filter), filter.types ?? null, platformId])
  return rows.map((row) => ({ ...LISTED.decode(row), ...OWNER.decode(row), ...CHANGED.decode(row) }))
}
