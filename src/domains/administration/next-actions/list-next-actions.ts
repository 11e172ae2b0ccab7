import { Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { listFilter } from '../../../kernel/http/paging.ts'
import { DayText, Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { changesErrors, changesPageSchema, cursorQuery, operation, pageOfChanges } from '../../../record/index.ts'
import { platformFilter, platformFilterErrors, scopeWithin } from '../../partners/platforms/index.ts'
import { listWaiting } from './list-store.ts'
import { rulesOf, seesConsultations } from './list-user-next-actions.ts'
import { NextActionRecord, presentAction, tags, withActions } from './records.ts'
import { WAITED_FOR } from './states.ts'

/** The name of the list in cursors. */
const LIST = 'next_actions'

export const listNextActions = operation('GET /next_actions', {
  access: 'listNextActions',
  tags,
  summary: 'List the next actions of all users',
  description:
    'The work list: in which records of all users somebody is waited for, the earliest `due_on` first, then those without one, which have waited longest first; small entries without personal data. ' +
    'A benefit provider finds those of its policies, endorsements and consultations, a platform those of its users and sponsors; consultations are shown to those who may list them. Rights that run out are in the list of a user only. ' +
    'Send `next` as `after`, with the same filters, until it is `null`. What does not change while you page is listed exactly once. There is no total.',
  querystring: Type.Object(
    {
      ...cursorQuery,
      platform_id: platformFilter,
      benefit_provider_id: Type.Optional(
        Text({ description: 'For administrators and platforms: only those of this benefit provider.' }),
      ),
      who: listFilter(WAITED_FOR),
      due_before: Type.Optional(
        DayText({ description: 'Only what is due before this day: nothing without a `due_on`' }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: changesPageSchema(NextActionRecord) },
  validate: (request, deps) => [
    ...platformFilterErrors(request),
    ...providerErrors(request),
    ...changesErrors(LIST, request, deps),
  ],
  read: (call) => {
    const { who = WAITED_FOR, due_before: dueBefore, platform_id: platformId, benefit_provider_id: named } = call.query
    const rules = rulesOf(call.deps)
    const within = scopeWithin(call.request.caller, platformId)
    const scope = { ...within, providerId: within.providerId ?? named ?? null }
    return pageOfChanges(LIST, call, {
      find: async ({ after, limit }) => {
        const filter = {
          ...rules,
          scope,
          who,
          dueBefore,
          seesConsultations: seesConsultations(call.request),
          after,
          limit,
        }
        return withActions(await listWaiting(call.deps.db, filter), rules)
      },
      present: presentAction,
    })
  },
})

/** Returns an error when a benefit provider names another one. */
function providerErrors({ caller, query }: { caller: Caller; query: unknown }): FieldError[] {
  const { benefit_provider_id: named } = (query ?? {}) as { benefit_provider_id?: unknown }
  if (caller.kind !== 'provider' || named === undefined || named === caller.benefitProviderId) return []
  return [{ pointer: 'query:benefit_provider_id', code: 'not_allowed', detail: 'Must be your own id, or omitted.' }]
}
