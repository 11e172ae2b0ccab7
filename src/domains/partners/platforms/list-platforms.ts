import { paged, pageSchema, statusQuery } from '../../../kernel/http/paging.ts'
import { operation } from '../../../record/index.ts'
import { PlatformRecord, presentPlatform, tags } from './records.ts'
import { PLATFORM_STATUSES } from './states.ts'
import { findPlatforms } from './store.ts'

export const listPlatforms = operation('GET /platforms', {
  access: 'listPlatforms',
  tags,
  summary: 'List platforms',
  description: 'Newest first.',
  querystring: statusQuery(PLATFORM_STATUSES),
  response: { 200: pageSchema(PlatformRecord) },
  read: (call) =>
    paged(call, (page) => findPlatforms(call.deps.db, { statuses: call.query.status, page }), presentPlatform),
})
