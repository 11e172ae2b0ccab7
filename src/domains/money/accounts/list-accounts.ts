import { Type } from 'typebox'
import { userScopeFrom } from '../../../access/scope.ts'
import { listFilter, paged, pageSchema, pagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ACCOUNT_TYPES } from '../../partners/platforms/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { AccountRecord, presentAccount, tags } from './records.ts'
import { ACCOUNT_STATUSES } from './states.ts'
import { findAccounts } from './store.ts'

export const listAccounts = operation('GET /users/:user_id/accounts', {
  access: 'listAccounts',
  tags,
  summary: 'List the accounts of a user',
  description: 'Newest first. `status` and `account_type` may be repeated.',
  params: UserPath,
  querystring: Type.Object(
    { ...pagingQuery, status: listFilter(ACCOUNT_STATUSES), account_type: listFilter(ACCOUNT_TYPES) },
    { additionalProperties: false },
  ),
  response: { 200: pageSchema(AccountRecord) },
  checkTargetFirst: ensureUserInPath,
  read: (call) => {
    const { status: statuses, account_type: types } = call.query
    const scope = userScopeFrom(call.request)
    return paged(call, (page) => findAccounts(call.deps.db, scope, { statuses, types, page }), presentAccount)
  },
})
