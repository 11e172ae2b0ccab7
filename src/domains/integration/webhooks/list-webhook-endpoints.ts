import { Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { paged, pageSchema, pagingQuery } from '../../../kernel/http/paging.ts'
import { OneOf, Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { operation } from '../../../record/index.ts'
import { helpsPartners, ownerOf } from './owner-of.ts'
import { ListedWebhookEndpoint, presentListed, tags } from './records.ts'
import { FAILING, findEndpoints } from './store.ts'

export const listWebhookEndpoints = operation('GET /webhook_endpoints', {
  access: 'listWebhookEndpoints',
  tags,
  summary: 'List webhook endpoints',
  description:
    'Newest first, without secrets. Administrators share theirs; operators and owners read those of a partner with `owner`, and with `failing=true` those of all partners that fail.',
  querystring: Type.Object(
    {
      ...pagingQuery,
      owner: Type.Optional(
        Text({
          description: 'For operators and owners: the id of a platform or benefit provider, whose endpoints to list',
        }),
      ),
      failing: Type.Optional(
        OneOf(['true', 'false'], {
          description:
            'For operators and owners, without `owner`: the endpoints of all active partners whose last attempt failed, or that were disabled for it',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: pageSchema(ListedWebhookEndpoint) },
  validate: (request) => ownerErrors(request),
  read: (call) => {
    const { db, vault } = call.deps
    const { failing, owner } = call.query
    const whose = failing === 'true' ? FAILING : (owner ?? ownerOf(call.request.caller))
    return paged(
      call,
      (page) => findEndpoints(db, whose, page),
      (endpoint) => presentListed(vault, endpoint),
    )
  },
})

/** Returns the errors of a caller who asks for the endpoints of others and may not, or in two ways at once. */
function ownerErrors({ caller, query }: { caller: Caller; query: unknown }): FieldError[] {
  const asked = ['owner', 'failing'].filter((name) => Object.hasOwn(query ?? {}, name))
  const detail = helpsPartners(caller)
    ? 'Send either `owner` or `failing`.'
    : 'Only operators and owners can ask for endpoints of others.'
  return asked.length > (helpsPartners(caller) ? 1 : 0)
    ? asked.map((name) => ({ pointer: `query:${name}`, code: 'not_allowed', detail }))
    : []
}
