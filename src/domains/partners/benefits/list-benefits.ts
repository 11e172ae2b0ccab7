import { Type } from 'typebox'
import { listFilter, paged, pageSchema, pagingQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { platformFilter, platformFilterErrors, scopeWithin } from '../platforms/index.ts'
import { BENEFIT_STATUSES, BenefitRecord, presentBenefit, tags } from './records.ts'
import { findBenefits } from './store.ts'

export const listBenefits = operation('GET /benefits', {
  access: 'listBenefits',
  tags,
  summary: 'List benefits',
  description:
    'Newest first. Lists ACTIVE benefits unless `status` is given. Platforms and their users see benefits of ' +
    'their sponsors, benefit providers their own.',
  querystring: Type.Object(
    { ...pagingQuery, platform_id: platformFilter, status: listFilter(BENEFIT_STATUSES) },
    { additionalProperties: false },
  ),
  response: { 200: pageSchema(BenefitRecord) },
  validate: platformFilterErrors,
  read: (call) => {
    const { status: statuses = ['ACTIVE'], platform_id: platformId } = call.query
    const scope = scopeWithin(call.request.caller, platformId)
    return paged(call, (page) => findBenefits(call.deps.db, { scope, statuses, page }), presentBenefit)
  },
})
