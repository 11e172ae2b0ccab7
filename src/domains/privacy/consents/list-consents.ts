import { userScopeFrom } from '../../../access/scope.ts'
import { paged, pageSchema, PagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { tags } from '../notices/records.ts'
import { ConsentRecord, presentConsent } from './records.ts'
import { findConsents } from './store.ts'

export const listConsents = operation('GET /users/:user_id/consents', {
  access: 'listConsents',
  tags,
  summary: 'List the consents of a user',
  description: 'Newest first, with those that were withdrawn.',
  params: UserPath,
  querystring: PagingQuery,
  response: { 200: pageSchema(ConsentRecord) },
  checkTargetFirst: ensureUserInPath,
  read: (call) => paged(call, (page) => findConsents(call.deps, userScopeFrom(call.request), page), presentConsent),
})
