import { toScope } from '../../../access/scope.ts'
import { paged, pageSchema, statusQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { presentSponsor, SponsorRecord, tags } from './records.ts'
import { SPONSOR_STATUSES } from './states.ts'
import { findSponsors } from './store.ts'

export const listSponsors = operation('GET /sponsors', {
  access: 'listSponsors',
  tags,
  summary: 'List sponsors',
  description: 'Newest first. Platforms see only their own.',
  querystring: statusQuery(SPONSOR_STATUSES),
  response: { 200: pageSchema(SponsorRecord) },
  read: (call) => {
    const { db, vault } = call.deps
    const filter = { scope: toScope(call.request.caller), statuses: call.query.status }
    return paged(call, (page) => findSponsors(db, vault, { ...filter, page }), presentSponsor)
  },
})
