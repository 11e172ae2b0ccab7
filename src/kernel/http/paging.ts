import { type Static, type TSchema, Type } from 'typebox'
import type { Page, Paged } from '../db/page.ts'
import { Nullable, OneOf, ref, Text } from './schemas.ts'
import type { Exchange, Request } from './exchange.ts'

const LIMIT_MAX = 100
export const LIMIT_DEFAULT = 20
const OFFSET_MAX = 100_000

/** The query parameters of every paged list. */
export const pagingQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LIMIT_MAX,
      default: LIMIT_DEFAULT,
      description: 'Maximum number of entries to return.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0, description: 'Number of entries to skip.' }),
  ),
}

export const PagingQuery = Type.Object(pagingQuery, { additionalProperties: false })

/** A filter that may be repeated; a record matches with any of the values. */
export const listFilter = <const T extends string>(values: readonly T[]) =>
  Type.Optional(
    Type.Array(OneOf(values), { description: 'Only entries with this value. May be repeated for several values.' }),
  )

/** Maximum number of ids that a filter takes. */
const IDS_MAX = 50

/** A filter by id that may be repeated; a record matches with any of the ids. */
export const idFilter = (things: string) =>
  Type.Optional(
    Type.Array(Text({ maxLength: 100 }), {
      maxItems: IDS_MAX,
      description: `Only entries of ${things} with this id. May be repeated for several.`,
    }),
  )

/** The paging parameters with a status filter, which may be repeated. */
export const statusQuery = <const T extends string>(statuses: readonly T[]) =>
  Type.Object({ ...pagingQuery, status: listFilter(statuses) }, { additionalProperties: false })

/** A page of a list of records: `docs/partners/sync.md#lists`. */
export const pageSchema = <T extends TSchema>(record: T) => pageWith(Type.Array(ref(record)))

/** The wrapper of paged lists. */
export const pageWith = <T extends TSchema>(data: T) =>
  Type.Object({
    data,
    limit: Type.Integer({ examples: [LIMIT_DEFAULT] }),
    offset: Type.Integer({ examples: [0] }),
    total: Type.Integer({ examples: [1] }),
  })

/** The wrapper of a cursor-paged list. It has no total, because the list grows while it is read. */
export const cursorPageSchema = <T extends TSchema>(data: T) =>
  Type.Object({
    data,
    next: Nullable(
      Type.String({
        description: 'Cursor: send it as `after` to continue. `null` while the list is empty',
        examples: ['evt_06bnv3m2r8f1s4k7q9t3v6w0y2'],
      }),
    ),
    has_more: Type.Boolean({ description: 'Whether more entries are available now' }),
    limit: Type.Integer({ examples: [LIMIT_DEFAULT] }),
  })

/** Reads the page that the query asks for, sets the `Link` header (RFC 8288) and wraps the presented rows. */
export async function paged<Row, Item>(
  { query, request, reply }: Exchange & { query: Static<typeof PagingQuery> },
  find: (page: Page) => Promise<Paged<Row>>,
  present: (row: Row) => Item,
) {
  const { limit = LIMIT_DEFAULT, offset = 0 } = query
  const { rows, total } = await find({ limit, offset })
  const data = rows.map(present) // may throw: an error has no links
  reply.header('link', links(request, { limit, offset, total }))
  return { data, limit, offset, total }
}

/** A page of a cursor-paged list; `next` is the cursor. */
type CursorPage<T> = { data: T[]; next: string | null; hasMore: boolean; limit: number }

/** Sets the `Link` header (RFC 8288) and wraps the data. */
export function cursorPaged<T>(exchange: Exchange, { data, next, hasMore, limit }: CursorPage<T>) {
  if (hasMore && next !== null) linkToNext(exchange, { limit, after: next })
  return { data, next, has_more: hasMore, limit }
}

/** Sets the `Link` header (RFC 8288) to the page after a cursor. */
export function linkToNext({ request, reply }: Exchange, { limit, after }: { limit: number; after: string }): void {
  reply.header('link', `<${linkBase(request)}limit=${limit}&after=${after}>; rel="next"`)
}

function links(request: Request, { limit, offset, total }: Page & { total: number }): string {
  const last = Math.min(Math.max(0, Math.ceil(total / limit) - 1) * limit, OFFSET_MAX)
  const targets: [string, number | null][] = [
    ['first', 0],
    ['prev', offset > 0 ? Math.min(Math.max(0, offset - limit), last) : null],
    ['next', offset + limit < total && offset + limit <= OFFSET_MAX ? offset + limit : null],
    ['last', last],
  ]
  const base = linkBase(request)
  return targets
    .filter(([, at]) => at !== null)
    .map(([rel, at]) => `<${base}limit=${limit}&offset=${at}>; rel="${rel}"`)
    .join(', ')
}

/** Returns the path and filters of a list, ready for the paging parameters. */
function linkBase({ url, query }: Request): string {
  const [path = ''] = url.split('?', 1)
  return `${path}?${filtersIn(query as Record<string, unknown>)}`
}

/**
 * Returns every filter once, even if it was repeated (the header repeats them up to four times); ends with `&` if any.
 */
function filtersIn(query: Record<string, unknown>): string {
  const filters = new URLSearchParams()
  for (const name in query) {
    if (name === 'limit' || name === 'offset' || name === 'after') continue
    for (const value of new Set([query[name]].flat())) filters.append(name, String(value))
  }
  return filters.size === 0 ? '' : `${filters.toString()}&`
}
