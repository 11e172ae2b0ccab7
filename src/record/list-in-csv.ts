import { AsyncLocalStorage } from 'node:async_hooks'
import { type TObject, type TSchema, Type } from 'typebox'
import { type Clock, todayIn } from '../kernel/clock.ts'
import { type CsvColumn, csvColumns } from '../kernel/csv/csv-columns.ts'
import { CSV_TYPE, csvHeader, csvLines } from '../kernel/csv/csv-text.ts'
import type { Database } from '../kernel/db/database.ts'
import { everyRow } from '../kernel/db/every-row.ts'
import { type Exchange, Reply, type Request } from '../kernel/http/exchange.ts'
import { preferredType } from '../kernel/http/framing.ts'
import { namedIn, OneOf } from '../kernel/http/schemas.ts'
import type { FieldError } from '../kernel/problem-error.ts'

const JSON_TYPE = 'application/json'

/** The records that are read, decrypted and held in memory at a time. */
const PAGE_ROWS = 1_000

/** What only a page of a list can be asked for. */
const OF_A_PAGE = ['limit', 'offset', 'after']

const format = Type.Optional(
  OneOf(['csv'], {
    description:
      'The whole list as CSV, as with `Accept: text/csv`: without `limit`, `offset` and `after`. See [/docs/partners/csv](/docs/partners/csv).',
  }),
)

type ListSchemas = { querystring?: TSchema | undefined; response: Record<number, object> }

/** Returns true for a read in pages, which is a list whatever else it says of itself. */
export function isList({ querystring }: ListSchemas): boolean {
  const { properties = {} }: { properties?: object } = querystring ?? {}
  return 'limit' in properties
}

/** Adds what makes a list available as CSV: its parameter, its media type, and what does not go with it. */
export const inCsvToo = ({ querystring }: ListSchemas) => ({
  querystring: Type.Object({ ...(querystring as TObject).properties, format }, { additionalProperties: false }),
  produces: [JSON_TYPE, CSV_TYPE],
})

/** `format` says it, or else the type that the caller prefers. */
export function wantsCsv({ query, headers }: Request): boolean {
  const { format: named } = (query ?? {}) as { format?: unknown }
  return named === undefined ? preferredType(headers.accept, [JSON_TYPE, CSV_TYPE]) === CSV_TYPE : named === 'csv'
}

export function csvErrors(request: Request): FieldError[] {
  if (!wantsCsv(request)) return []
  const query: object = request.query ?? {}
  return OF_A_PAGE.filter((name) => name in query).map((name) => ({
    pointer: `query:${name}`,
    code: 'not_allowed',
    detail: 'A CSV has the whole list. Leave this out.',
  }))
}

/** What a page of any list has. */
type PageOfList = { data: unknown; total?: number; next?: string | null; has_more?: boolean }
type ListCall = Exchange & { deps: { db: Database; clock: Clock }; query: unknown }
type ReadPage<C> = (call: C) => unknown

/** A list as CSV: its pages are read as fast as they are sent. */
export class CsvList<C extends ListCall = ListCall> {
  readonly #columns: CsvColumn[]
  readonly #call: C
  readonly #read: ReadPage<C>
  readonly #inContext = AsyncLocalStorage.snapshot()
  /** Called with each page before it is sent. */
  onPage: (page: unknown) => void | Promise<void> = () => {}

  constructor(call: C, { read, item }: { read: ReadPage<C>; item: object }) {
    this.#call = call
    this.#read = read
    this.#columns = findColumns(item)
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const parts = this.#parts()
    // Each page uses the caller's share of the connections, although the door asks for it.
    return {
      next: () => this.#inContext(() => parts.next()),
      return: (value) => this.#inContext(() => parts.return(value as undefined)),
    }
  }

  async *#parts(): AsyncGenerator<Uint8Array, undefined, undefined> {
    const { reply } = this.#call
    let text = csvHeader(this.#columns)
    for await (const page of this.#pages()) {
      await this.onPage(page)
      if (!reply.raw.headersSent) this.#nameFile()
      text += csvLines(this.#columns, listItems(page))
      if (text !== '') yield Buffer.from(text)
      text = ''
    }
  }

  /** Once the first page is there: before that, an error can still be the response. */
  #nameFile(): void {
    const { request, reply, deps } = this.#call
    const name = request.route.url.split('/').at(-1)
    reply.type(`${CSV_TYPE}; charset=utf-8; header=present`)
    reply.header('content-disposition', `attachment; filename="${name}-${todayIn(deps.clock)}.csv"`)
  }

  async *#pages(): AsyncGenerator<PageOfList, undefined, undefined> {
    const { request, reply, deps, query } = this.#call
    const { db, isKeyed } = everyRow(deps.db)
    let place: { offset?: number; after?: string } = {}
    for (;;) {
      request.checkNotRevoked()
      // The links of a page are for the next page, not for this response.
      const exchange = { request, reply: new Reply(reply.raw, {}) }
      const asked = {
        ...this.#call,
        ...exchange,
        deps: { ...deps, db },
        query: { ...(query as object), limit: PAGE_ROWS, ...place },
      }
      const page = (await this.#read(asked)) as PageOfList
      yield page
      const { total, next, has_more: hasMore = next !== null } = page
      if (total === undefined ? !hasMore : listItems(page).length < PAGE_ROWS) return
      if (total === undefined) place = { after: next as string }
      else if (!isKeyed()) place = { offset: (place.offset ?? 0) + PAGE_ROWS }
    }
  }
}

/** Returns the items of a page: `data`, or the one list in it. */
export function listItems(page: unknown): readonly unknown[] {
  const { data } = (page ?? {}) as Partial<PageOfList>
  if (Array.isArray(data)) return data
  return Object.values(data ?? {}).find((inner) => Array.isArray(inner)) ?? []
}

const columnsByItem = new WeakMap<object, CsvColumn[]>()

function findColumns(item: object): CsvColumn[] {
  const known = columnsByItem.get(item)
  if (known) return known
  const made = csvColumns(item)
  columnsByItem.set(item, made)
  return made
}

type Schema = { $ref?: string; items?: Schema; properties?: Record<string, Schema> }

/** Returns the schema of a list's items. */
export function findItemSchema({ response }: ListSchemas): object {
  const named = new Map<string, object>()
  namedIn(response, named)
  const page = resolved(response[200] as Schema, named)
  const { items, properties = {} } = page.properties?.['data'] ?? {}
  const found = items ?? Object.values(properties).find((inner) => inner.items)?.items
  if (!found) throw new Error('a list has items')
  return found
}

const resolved = (schema: Schema, named: ReadonlyMap<string, object>): Schema =>
  schema.$ref === undefined ? schema : (named.get(schema.$ref.slice(0, -1)) ?? {})
