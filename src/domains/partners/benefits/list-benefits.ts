import { toScope } from '../../../access/scope.ts'
import { paged, pageSchema, statusQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { BENEFIT_STATUSES, BenefitRecord, presentBenefit, tags } from './records.ts'
import { findBenefits } from './store.ts'

export const listBenefits = operation('GET /benefits', {
  access: 'listBenefits',
  tags,
  summary: 'List benefits',
  description:
    'Newest first. Lists ACTIVE benefits unless `status` is given. Platforms and their users see benefits of ' +
    'their sponsors, benefit providers their own.',
  querystring: statusQuery(BENEFIT_STATUSES),
  response: { 200: pageSchema(BenefitRecord) },
  read: (call) => {
    const { status: statuses = ['ACTIVE'] } = call.query
    const scope = toScope(call.request.caller)
    return paged(call, (page) => findBenefits(call.deps.db, { scope, statuses, page }), presentBenefit)
  },
})
