import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import type { Caller } from '../access/caller.ts'
import { cursorAt, type CursorOf, positionIn } from '../access/list-cursor.ts'
import type { OperationName } from '../access/matrix.ts'
import { type Scope, toScope } from '../access/scope.ts'
import type { Deps } from './deps.ts'
import { type Clock, timeFrom } from '../kernel/clock.ts'
import type { Vault } from '../kernel/crypto/vault.ts'
import { columns, integer } from '../kernel/db/columns.ts'
import type { ChangePosition, ChangesValues } from '../kernel/db/changes-text.ts'
import { LIMIT_DEFAULT, linkToNext, pagingQuery } from '../kernel/http/paging.ts'
import { Nullable, OneOf, ref, Text, UtcTime } from '../kernel/http/schemas.ts'
import type { Exchange, Request } from '../kernel/http/exchange.ts'
import type { FieldError } from '../kernel/problem-error.ts'
import { operation } from './operation.ts'

const CURSOR_LENGTH_MAX = 300

export const cursorQuery = {
  limit: pagingQuery.limit,
  after: Type.Optional(
    Text({
      maxLength: CURSOR_LENGTH_MAX,
      description: 'Cursor: `next` of the previous page. Repeat the filters with it. It is valid for 24 hours.',
    }),
  ),
}

const changesQuery = {
  ...cursorQuery,
  changed_after: Type.Optional(
    UtcTime(
      'Only what changed after this time, in UTC. Send the time of your last look minus a minute: a change becomes visible a moment after its time.',
    ),
  ),
}

/** The filter of a list that can be read from its other end, without a place of its own for what waits. */
export const oldestFirst = {
  order: Type.Optional(
    OneOf(['oldest'], {
      description: 'What was changed longest ago first. What changes while you page is met again at the end.',
    }),
  ),
}

/** What every list of changes promises. */
const PROMISE =
  'Last change first, then by id; small entries without personal data. Send `next` as `after`, with the same filters, until it is ' +
  '`null`. What does not change while you page is listed exactly once. What changes moves to the front: you can meet it twice, ' +
  'or miss it on the later pages, and find it again with `changed_after`. There is no total; `GET /v1/statistics` counts.'

export const changesPageSchema = <T extends TSchema>(item: T) =>
  Type.Object({
    data: Type.Array(ref(item)),
    next: Nullable(
      Type.String({
        description: 'Cursor of the next page, for `after`; `null` on the last page',
        examples: ['MTc3NTAzNDAwMC4xNzc1MDM0MDAwMDAwMDAwLnBvbF8x.q83vEjRWeJCrze8SNFZ4kA'],
      }),
    ),
    limit: Type.Integer({ examples: [LIMIT_DEFAULT] }),
  })

/** The place of a listed row. */
export const CHANGED = columns('c', { changedAt: integer('changed_at_us') })

type Query = Static<TObject<typeof changesQuery>>

type Context = { vault: Vault; clock: Clock }
type ListRequest = Pick<Request, 'caller' | 'query' | 'body'>

/** Returns the list that a request asks for, with its filters. A search has them in its body. */
const listAskedFor = (list: string, { caller, query, body }: ListRequest): CursorOf => ({
  list,
  scope: toScope(caller),
  filters: { query: filtersIn(query as object), body: body ?? null },
})

/** Returns the filters in the query; in which order they repeat, and how often, makes no difference. */
function filtersIn(query: object): object {
  const others = Object.entries(query).filter(([name]) => name !== 'limit' && name !== 'after')
  return Object.fromEntries(others.map(([name, value]) => [name, [...new Set([value].flat().map(String))].toSorted()]))
}

export function changesErrors(list: string, request: ListRequest, context: Context): FieldError[] {
  const { after } = request.query as Record<string, unknown>
  const position = typeof after === 'string' ? positionIn(context, listAskedFor(list, request), after) : undefined
  return position && 'pointer' in position ? [position] : []
}

type Selection = Omit<ChangesValues, 'states'> & { scope: Scope; caller: Caller }
type Listing<Row, Item> = {
  /** Reads up to `limit` rows after a position. */
  find: (selection: Selection) => Promise<(Row & ChangePosition)[]>
  present: (row: Row) => Item
}

type Call = Exchange & { deps: Context; query: Query }

/** Reads and presents a page of a list of changes; `changesErrors` has checked the cursor. */
export async function pageOfChanges<Row, Item>(list: string, call: Call, { find, present }: Listing<Row, Item>) {
  const { limit = LIMIT_DEFAULT, after, changed_after } = call.query
  const asked = listAskedFor(list, call.request)
  const position = after === undefined ? undefined : positionIn(call.deps, asked, after)
  const rows = await find({
    scope: asked.scope,
    caller: call.request.caller,
    changedAfter: timeFrom(changed_after),
    after: position && 'id' in position ? position : undefined,
    limit: limit + 1, // one more shows whether there is a next page
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const next = rows.length > limit && last ? cursorAt(call.deps, asked, last) : null
  if (next !== null) linkToNext(call, { limit, after: next })
  return { data: page.map(present), next, limit }
}

type ListOfChanges<Filters extends TProperties, Item extends TSchema, Row> = {
  access: OperationName
  tags: string[]
  summary: string
  /** What is to be said alongside `PROMISE`. */
  description?: string
  filters: Filters
  /** What is wrong with filters that do not go together. */
  check?: (query: Static<Type.TObject<Filters>>, caller: Caller) => FieldError[]
  item: Item
  /** Reads up to `limit` rows after a position, filtered by the query. */
  find: (deps: Deps, query: Static<Type.TObject<Filters>>, selection: Selection) => Promise<(Row & ChangePosition)[]>
  present: (row: Row) => Static<Item>
}

/** Defines a list of changes of all users' records. Its path is its name in cursors. */
export const listOfChanges = <Filters extends TProperties, Item extends TSchema, Row>(
  path: `/${string}`,
  { filters, check, item, find, present, description, ...described }: ListOfChanges<Filters, Item, Row>,
) => {
  const list = path.slice(1)
  return operation(`GET ${path}`, {
    ...described,
    description: description === undefined ? PROMISE : `${PROMISE} ${description}`,
    querystring: Type.Object({ ...changesQuery, ...filters }, { additionalProperties: false }),
    response: { 200: changesPageSchema(item) },
    validate: (request, deps) => {
      const query = request.query as Static<Type.TObject<Filters>>
      return [...(check?.(query, request.caller) ?? []), ...changesErrors(list, request, deps)]
    },
    read: (call) => {
      const query = call.query as Static<Type.TObject<Filters>>
      return pageOfChanges(list, call, { find: (selection) => find(call.deps, query, selection), present })
    },
  })
}
