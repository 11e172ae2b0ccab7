import { type Static, Type } from 'typebox'
import { idFilter, listFilter, paged, pageSchema, pagingQuery } from '../../../kernel/http/paging.ts'
import { OneOf, record } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { platformFilter, platformFilterErrors, scopeWithin } from '../platforms/index.ts'
import { type ListedSponsor, tags } from './records.ts'
import { SPONSOR_STATUSES } from './states.ts'
import { findSponsors } from './store.ts'

const ListedSponsorRecord = record(
  'ListedSponsor',
  { id: Type.String(), name: Type.String(), slug: Type.String(), status: OneOf(SPONSOR_STATUSES) },
  {
    description: 'What a sponsor is called',
    examples: [
      {
        id: 'spn_06bnv3m2r8f1s4k7q9t3v6w0y2',
        name: 'Banyan Textiles',
        slug: 'banyan-textiles-9t3v6w0y',
        status: 'ACTIVE',
      },
    ],
  },
)

export const listSponsorNames = operation('GET /sponsor_names', {
  access: 'listSponsorNames',
  tags,
  summary: 'List the names of sponsors',
  description:
    'Names alone, for those who show them alongside other records: no tax id, contact or address. Newest first. Platforms see only their own. The audit has one entry for the list.',
  querystring: Type.Object(
    {
      ...pagingQuery,
      platform_id: platformFilter,
      sponsor_id: idFilter('sponsors'),
      status: listFilter(SPONSOR_STATUSES),
    },
    { additionalProperties: false },
  ),
  response: { 200: pageSchema(ListedSponsorRecord) },
  validate: platformFilterErrors,
  read: (call) => {
    const { db, vault } = call.deps
    const { platform_id: platformId, status: statuses, sponsor_id: ids } = call.query
    const filter = { scope: scopeWithin(call.request.caller, platformId), statuses, ids }
    return paged(call, (page) => findSponsors(db, vault, { ...filter, page }), presentName)
  },
})

const presentName = ({ id, slug, status, profile: { name } }: ListedSponsor): Static<typeof ListedSponsorRecord> => ({
  id,
  name,
  slug,
  status,
})
