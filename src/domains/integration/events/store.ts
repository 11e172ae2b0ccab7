import { isOwn, type Scope } from '../../../access/scope.ts'
import { columns, decoded, integer, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { type Queryable, type Statement, statement } from '../../../kernel/db/database.ts'
import { HORIZON } from '../../../kernel/db/log-position.ts'
import { type EventType, STORED_EVENT } from '../../../record/index.ts'

const CURSOR = columns('r', {
  id: text('event_id'),
  xid: { ...decoded('xid', String), select: (alias) => `${alias}.xid::text as xid` },
})
export type Cursor = RecordOf<typeof CURSOR>

/** Where each order starts: before all events, or after them. */
const START = { asc: { id: '', xid: '0' }, desc: { id: '~', xid: '18446744073709551615' } } as const
export type EventOrder = keyof typeof START
export const EVENT_ORDERS = ['asc', 'desc'] as const satisfies EventOrder[]

/** Maximum number of events scanned for a page, however few of them have the requested types. */
export const SCANNED_MAX = 1_000

const POSITION = columns('e', { position: integer('position') })

/** Older than every running transaction: no earlier event can appear any more. */
const IS_SETTLED = `r.xid < ${HORIZON}`

/**
 * `$2` and `$3` are the cursor, in either order. Includes the last scanned event whatever its type, because the next page begins after
 * it.
 */
const listText = (condition: string, order: EventOrder) => `
  select ${STORED_EVENT.list}, ${POSITION.list}
    from (select r.event_id, r.type, r.platform_id, r.subject, r.data, r.occurred_at, r.xid,
                 row_number() over (order by r.xid ${order}, r.event_id ${order})::int as position
            from events r
           where ${condition} and (r.xid, r.event_id) ${order === 'asc' ? '>' : '<'} ($2::xid8, $3) and ${IS_SETTLED}
           order by r.xid ${order}, r.event_id ${order}
           limit ${SCANNED_MAX}) e
   where e.type = any ($1) or e.position = ${SCANNED_MAX}
   order by e.xid ${order}, e.event_id ${order}
   limit $4`

const newestText = (condition: string) =>
  `select r.event_id from events r where ${condition} and ${IS_SETTLED} order by r.xid desc, r.event_id desc limit 1`

const isInScope = (platform: string, provider: string) =>
  `${isOwn(platform, 'r.platform_id')} and ${isOwn(provider, 'r.benefit_provider_id')}`

/** One statement per index, because one plan could not serve all; the lists have four values before their own. */
const statementsFor = (name: string, condition: (first: number) => string) => ({
  asc: statement(`events_list_${name}`, listText(condition(5), 'asc')),
  desc: statement(`events_list_${name}_newest`, listText(condition(5), 'desc')),
  newest: statement(`events_newest_${name}`, newestText(condition(1))),
})

const ALL = statementsFor('all', () => 'true')
const OF_PLATFORM = statementsFor('of_platform', (first) => `r.platform_id = $${first}`)
const OF_PROVIDER = statementsFor('of_provider', (first) => `r.benefit_provider_id = $${first}`)
const OF_SUBJECT = statementsFor(
  'of_subject',
  (first) => `r.subject = $${first} and ${isInScope(`$${first + 1}`, `$${first + 2}`)}`,
)

const FIND_CURSOR = statement(
  'events_find_cursor',
  `select ${CURSOR.list} from events r where r.event_id = $1 and ${isInScope('$2', '$3')}`,
)

type EventSelection = { scope: Scope; subject: string | undefined }

type Selected = Record<EventOrder | 'newest', Statement> & { values: (string | null)[] }

function chooseStatements({ scope, subject }: EventSelection): Selected {
  const { platformId, providerId } = scope
  if (subject !== undefined) return { ...OF_SUBJECT, values: [subject, platformId, providerId] }
  if (platformId !== null) return { ...OF_PLATFORM, values: [platformId] }
  return providerId === null ? { ...ALL, values: [] } : { ...OF_PROVIDER, values: [providerId] }
}

type ScannedEvent = RecordOf<typeof STORED_EVENT> & RecordOf<typeof POSITION>

type ListInput = {
  selection: EventSelection
  types: readonly EventType[]
  order: EventOrder
  /** Undefined to begin where the order starts. */
  after: Cursor | undefined
  limit: number
}

/** Returns the events after a cursor, in order. The event at `SCANNED_MAX` is included whatever its type. */
export async function listAfter(
  db: Queryable,
  { selection, types, order, after, limit }: ListInput,
): Promise<ScannedEvent[]> {
  const { values, ...statements } = chooseStatements(selection)
  const { xid, id } = after ?? START[order]
  const rows = await db.query<object>(statements[order], [types, xid, id, limit, ...values])
  return rows.map((row) => ({ ...STORED_EVENT.decode(row), ...POSITION.decode(row) }))
}

export async function findNewest(db: Queryable, selection: EventSelection): Promise<string | undefined> {
  const { newest, values } = chooseStatements(selection)
  return (await db.query<{ event_id: string }>(newest, values))[0]?.event_id
}

export async function findCursor(db: Queryable, { platformId, providerId }: Scope, id: string) {
  const [row] = await db.query<object>(FIND_CURSOR, [id, platformId, providerId])
  return row && CURSOR.decode(row)
}
