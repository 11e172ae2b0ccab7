import { Type } from 'typebox'
import { preferredType } from '../../../kernel/http/framing.ts'
import { param } from '../../../kernel/http/param.ts'
import { OneOf } from '../../../kernel/http/schemas.ts'
import type { Exchange } from '../../../kernel/http/exchange.ts'
import type { Routes } from '../../../kernel/http/router.ts'
import { CARD_CHECK_PATH, CARD_CODE_PATH, LOWER_CARD_CODE_PATH } from './card-of-member.ts'
import { CARD_PAGE_POLICY, cardPage } from './card-page.ts'
import { CARD_RESULTS, cardFields, checkCard, type CheckDeps } from './check-card.ts'
import { tags } from './records.ts'

/** Public, with any query: messengers append parameters to URLs. */
const checkCardSchema = {
  operationId: 'checkHealthCard',
  tags,
  summary: 'Check a health card',
  description:
    'Target of the code on a health card or certificate, whose URL is shorter: `/C/{token}`. Returns the cover today, as JSON ' +
    'or as an HTML page. For a code that is not signed by this service, or belongs to nobody, the result is `not_valid`, without the other fields. ' +
    'The card of somebody who is covered, but was corrected and issued again since, has `newer_card`. The code is read in either case.',
  params: Type.Object({ token: Type.String({ description: 'The token in the code on the card' }) }),
  querystring: Type.Object({}, { additionalProperties: true }),
  response: {
    200: {
      description: 'The cover today',
      content: {
        'application/json': {
          schema: Type.Object(
            { result: OneOf(CARD_RESULTS), ...Type.Partial(Type.Object(cardFields)).properties },
            {
              examples: [
                {
                  result: 'valid',
                  valid_until: '2027-03-31',
                  issuer: 'Suraksha General Insurance',
                  checked_on: '2026-06-01',
                  checked_at: '2026-06-01T06:00:00',
                  policy_number_last4: '0123',
                  member_initials: 'A. E.',
                },
              ],
            },
          ),
        },
        'text/html': { schema: Type.String() },
      },
    },
  },
}

const CARD_TYPES = ['application/json', 'text/html'] as const

/** Mounts the public target of the code on a health card, outside both interfaces. */
export function cardCheckRoutes(routes: Routes, deps: CheckDeps): void {
  const config = {
    access: 'anyone' as const,
    limit: 'cardChecks' as const,
    produces: [...CARD_TYPES],
  }
  const sendCheck = async ({ request, reply }: Exchange, token: string) => {
    const check = await checkCard(deps, { token, network: request.sender.address.logged, requestId: request.id })
    reply.header('vary', 'accept')
    if (preferredType(request.headers.accept, CARD_TYPES) !== 'text/html') return check
    reply.type('text/html; charset=utf-8').header('content-security-policy', CARD_PAGE_POLICY)
    return cardPage(check)
  }

  routes.add(`GET ${CARD_CHECK_PATH}/:token`, { schema: checkCardSchema, config }, (request, reply) =>
    sendCheck({ request, reply }, param(request, 'token')),
  )
  // Accepts any suffix: messengers append characters to URLs.
  const { querystring } = checkCardSchema
  for (const path of [CARD_CHECK_PATH, CARD_CODE_PATH, LOWER_CARD_CODE_PATH]) {
    routes.page(`${path}/*`, { schema: { querystring }, config }, (request, reply) =>
      sendCheck({ request, reply }, param(request, '*').replace(/\/$/, '')),
    )
  }
}
