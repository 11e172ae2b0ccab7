import { Type } from 'typebox'
import type { Caller } from '../../../access/caller.ts'
import { matrix } from '../../../access/matrix.ts'
import { paged, pageFrom, pageOf, pagingQuery } from '../../../kernel/http/paging.ts'
import { ref, Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { operation } from '../../../record/index.ts'
import { helpsPartners, ownerOf } from './owner-of.ts'
import { presentEndpoint, tags, WebhookEndpoint } from './records.ts'
import { findEndpoints } from './store.ts'

export const listWebhookEndpoints = operation('GET /webhook_endpoints', {
  access: matrix.listWebhookEndpoints,
  tags,
  summary: 'List webhook endpoints',
  description:
    'Newest first, without secrets. Administrators share theirs; operators and owners read those of a partner with `owner`.',
  querystring: Type.Object(
    {
      ...pagingQuery,
      owner: Type.Optional(
        Text({
          description: 'For operators and owners: the id of a platform or benefit provider, whose endpoints to list',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: pageOf(Type.Array(ref(WebhookEndpoint))) },
  validate: (request) => ownerErrors(request),
  read: async (call) => {
    const { db, vault } = call.deps
    const page = pageFrom(call.query)
    const { rows, total } = await findEndpoints(db, call.query.owner ?? ownerOf(call.request.caller), page)
    return paged(
      call,
      { ...page, total },
      rows.map((endpoint) => presentEndpoint(vault, endpoint)),
    )
  },
})

/** Returns an error when the caller asks for the endpoints of others and may not. */
const ownerErrors = ({ caller, query }: { caller: Caller; query: unknown }): FieldError[] =>
  Object.hasOwn(query ?? {}, 'owner') && !helpsPartners(caller)
    ? [
        {
          pointer: 'query:owner',
          code: 'not_allowed',
          detail: 'Only operators and owners can ask for endpoints of others.',
        },
      ]
    : []
