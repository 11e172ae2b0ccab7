import { isOwn, type Scope } from '../../access/scope.ts'
import { columns, decoded, integer, type RecordOf, text } from '../../kernel/db/columns.ts'
import { type Queryable, type Statement, statement } from '../../kernel/db/database.ts'
import { type EventType, STORED_EVENT } from '../../record/index.ts'

/** Where a reader is: behind this event. */
const CURSOR = columns('r', {
  id: text('event_id'),
  xid: { ...decoded('xid', String), select: (alias) => `${alias}.xid::text as xid` },
})
export type Cursor = RecordOf<typeof CURSOR>

export const BEGINNING: Cursor = { id: '', xid: '0' }

/** How many events a page looks at, at most, however few of them are of the types asked for. */
export const LOOKED_AT_MAX = 1_000

const PLACE = columns('e', { place: integer('place') })

/** Older than every transaction that is still under way: nothing can come before it any more. */
const IS_SETTLED = 'r.xid < pg_snapshot_xmin(pg_current_snapshot())'

/** `$2` and `$3` are the cursor. The last event that was looked at is there whatever its type: the next page begins behind it. */
const listText = (isMeant: string) => `
  select ${STORED_EVENT.list}, ${PLACE.list}
    from (select r.event_id, r.type, r.platform_id, r.subject, r.data, r.occurred_at, r.xid,
                 row_number() over (order by r.xid, r.event_id)::int as place
            from events r
           where ${isMeant} and (r.xid, r.event_id) > ($2::xid8, $3) and ${IS_SETTLED}
           order by r.xid, r.event_id
           limit ${LOOKED_AT_MAX}) e
   where e.type = any ($1) or e.place = ${LOOKED_AT_MAX}
   order by e.xid, e.event_id
   limit $4`

const newestText = (isMeant: string) =>
  `select r.event_id from events r where ${isMeant} and ${IS_SETTLED} order by r.xid desc, r.event_id desc limit 1`

const isInScope = (platform: string, provider: string) =>
  `${isOwn(platform, 'r.platform_id')} and ${isOwn(provider, 'r.benefit_provider_id')}`

/** One statement for each index, or one plan would have to serve all; `list` has four values before its own. */
const statementsFor = (name: string, isMeant: (first: number) => string) => ({
  list: statement(`events_list_${name}`, listText(isMeant(5))),
  newest: statement(`events_newest_${name}`, newestText(isMeant(1))),
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

/** Which events a list is about, beside their types. */
export type Meant = { scope: Scope; subject: string | undefined }

function statementsOf({ scope, subject }: Meant): { list: Statement; newest: Statement; values: (string | null)[] } {
  const { platformId, providerId } = scope
  if (subject !== undefined) return { ...OF_SUBJECT, values: [subject, platformId, providerId] }
  if (platformId !== null) return { ...OF_PLATFORM, values: [platformId] }
  return providerId === null ? { ...ALL, values: [] } : { ...OF_PROVIDER, values: [providerId] }
}

export type LookedAt = RecordOf<typeof STORED_EVENT> & RecordOf<typeof PLACE>

type Asked = { meant: Meant; types: readonly EventType[]; after: Cursor; limit: number }

/** The events behind a cursor, in order. One at the place `LOOKED_AT_MAX` is there although its type was not asked for. */
export async function listAfter(db: Queryable, { meant, types, after, limit }: Asked): Promise<LookedAt[]> {
  const { list, values } = statementsOf(meant)
  const rows = await db.query<object>(list, [types, after.xid, after.id, limit, ...values])
  return rows.map((row) => ({ ...STORED_EVENT.decode(row), ...PLACE.decode(row) }))
}

/** The id of the newest event; undefined when there is none. */
export async function findNewest(db: Queryable, meant: Meant): Promise<string | undefined> {
  const { newest, values } = statementsOf(meant)
  return (await db.query<{ event_id: string }>(newest, values))[0]?.event_id
}

/** The place of an event in the order; undefined when it is not there, or not in the scope. */
export async function findCursor(db: Queryable, { platformId, providerId }: Scope, id: string) {
  const [row] = await db.query<object>(FIND_CURSOR, [id, platformId, providerId])
  return row && CURSOR.decode(row)
}
