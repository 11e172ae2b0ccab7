import { Type } from 'typebox'
import { toScope } from '../../../access/scope.ts'
import { Text } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { foreignPlatform } from '../../partners/platforms/index.ts'
import { everyHour } from './events-store.ts'
import { allCounts, EVERYTHING, StatisticsRecord, tags } from './records.ts'
import { findCounts } from './store.ts'

export const readStatistics = operation('GET /statistics', {
  access: 'readStatistics',
  tags,
  summary: 'Count by state',
  description:
    'How many policies, endorsements, accounts, wallets and users there are in each state, how many events and webhook deliveries wait, and how many events there were in each hour of the last day. A worker counts twice a minute; `as_of` is the time of counting. A platform gets its own counts, a benefit provider those of its policies, endorsements, consultations and webhook deliveries: the others are 0.',
  querystring: Type.Object(
    { platform_id: Type.Optional(Text({ description: 'For administrators: count this platform only' })) },
    { additionalProperties: false },
  ),
  response: { 200: StatisticsRecord },
  validate: ({ caller, query }) =>
    caller.kind === 'provider' && Object.hasOwn(query ?? {}, 'platform_id')
      ? [{ pointer: 'query:platform_id', code: 'not_allowed' as const, detail: 'Leave it out: the counts are yours.' }]
      : foreignPlatform({ caller, body: query }).map((error) => ({ ...error, pointer: 'query:platform_id' })),
  read: async ({ deps, request, query }) => {
    const { platformId, providerId } = toScope(request.caller)
    const owner = platformId ?? providerId ?? query.platform_id ?? EVERYTHING
    const stored = await findCounts(deps.db, owner)
    const { events_by_hour: hours = {}, ...counts } = stored?.counts ?? {}
    return {
      as_of: stored?.asOf ?? null,
      ...allCounts(counts),
      events_by_hour: stored ? everyHour(hours, new Date(`${stored.asOf}Z`)) : [],
    }
  },
})
