import { type Static, type TSchema, Type } from 'typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Page } from '../db/page.ts'
import { OneOf } from './schemas.ts'

const LIMIT_MAX = 100
const LIMIT_DEFAULT = 20
const OFFSET_MAX = 100_000

/** The paging parameters of every paged list. */
export const pagingQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT, description: 'How many to return.' }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0, description: 'How many to skip.' }),
  ),
}

export const PagingQuery = Type.Object(pagingQuery, { additionalProperties: false })

/** A filter that may be there several times: what has one of these is in the list. */
export const anyOf = <const T extends string>(words: readonly T[]) =>
  Type.Optional(Type.Array(OneOf(words), { description: 'Only what has this one; may repeat, then one of these.' }))

/** The same with a filter by status, which may be there several times. */
export const statusQuery = <const T extends string>(statuses: readonly T[]) =>
  Type.Object({ ...pagingQuery, status: anyOf(statuses) }, { additionalProperties: false })

/** The wrapper of paged lists (contract 2.10). */
export const pageOf = <T extends TSchema>(data: T) =>
  Type.Object({
    data,
    limit: Type.Integer({ examples: [LIMIT_DEFAULT] }),
    offset: Type.Integer({ examples: [0] }),
    total: Type.Integer({ examples: [1] }),
  })

/** The page a request asks for. */
export function pageFrom(query: Static<typeof PagingQuery>): Page {
  return { limit: query.limit ?? LIMIT_DEFAULT, offset: query.offset ?? 0 }
}

/** Sets the `Link` header (RFC 8288) and wraps the data. */
export function paged<T>(
  exchange: { request: FastifyRequest; reply: FastifyReply },
  page: Page & { total: number },
  data: T,
) {
  const { limit, offset, total } = page
  exchange.reply.header('link', links(exchange.request, page))
  return { data, limit, offset, total }
}

function links({ url, query }: FastifyRequest, { limit, offset, total }: Page & { total: number }): string {
  const last = Math.min(Math.max(0, Math.ceil(total / limit) - 1) * limit, OFFSET_MAX)
  const targets: [string, number | null][] = [
    ['first', 0],
    ['prev', offset > 0 ? Math.min(Math.max(0, offset - limit), last) : null],
    ['next', offset + limit < total && offset + limit <= OFFSET_MAX ? offset + limit : null],
    ['last', last],
  ]
  const [path = ''] = url.split('?', 1)
  const filters = filtersIn(query as Record<string, unknown>)
  return targets
    .filter(([, at]) => at !== null)
    .map(([rel, at]) => `<${path}?${filters}limit=${limit}&offset=${at}>; rel="${rel}"`)
    .join(', ')
}

/** Every filter once, however often it was sent: the header holds them four times. Ends with `&` where there is one. */
function filtersIn(query: Record<string, unknown>): string {
  const filters = new URLSearchParams()
  for (const name in query) {
    if (name === 'limit' || name === 'offset') continue
    for (const value of new Set([query[name]].flat())) filters.append(name, String(value))
  }
  return filters.size === 0 ? '' : `${filters.toString()}&`
}
