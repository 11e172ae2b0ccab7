import { columns, decoded, instant, integer, nullable, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { HORIZON } from '../../../kernel/db/log-position.ts'
import { AUDIT_ENTRY, type AuditAction } from '../../../record/index.ts'

const ENTRY = columns('e', {
  ...AUDIT_ENTRY,
  at: instant('at'),
  xid: { ...decoded('xid', String), select: (alias) => `${alias}.xid::text as xid` },
})
const POSITION = columns('e', { position: integer('position') })
const SHOWN_NAME = columns('n', { name: nullable(text('name')) })

/** The position of a reader: after this entry. */
export type Cursor = { xid: string; id: string }
/** After any possible entry. */
export const END: Cursor = { xid: '9999999999999999999', id: '' }

/** Maximum number of entries scanned for a page, however few of them match. */
export const SCANNED_MAX = 1_000

/** An id alone is that of a person, or of a company with its people. */
const IS_MATCH = `($3::text is null or e.actor = $3 or $3 = any (string_to_array(e.actor, ':'))) and ($4::text is null or e.subject = $4)
  and ($5::text[] is null or e.action = any ($5))
  and ($7::timestamptz is null or e.at >= $7) and ($8::timestamptz is null or e.at < $8)`

/**
 * `$1` and `$2` are the cursor, in either order. Only entries older than every running transaction, as in the event log:
 * nothing is inserted among them later, so that paging back misses none either. Includes the last scanned entry even if it
 * does not match, because the next page begins after it.
 */
const list = (name: string, { beyond, order, of = 'true' }: { beyond: '>' | '<'; order: string; of?: string }) =>
  statement(
    name,
    `select ${ENTRY.list}, ${POSITION.list}, ${IS_MATCH} as is_match
     from (select r.audit_id, r.xid, r.at, r.actor, r.operation, r.action, r.subject, r.user_id, r.request_id, r.purpose, r.credential_id,
                  row_number() over (order by r.xid ${order}, r.audit_id ${order})::int as position
             from audit_entries r
            where (r.xid, r.audit_id) ${beyond} ($1::xid8, $2) and r.xid < ${HORIZON} and ${of}
            order by r.xid ${order}, r.audit_id ${order}
            limit ${SCANNED_MAX}) e
    where (${IS_MATCH}) or e.position = ${SCANNED_MAX}
    order by e.xid ${order}, e.audit_id ${order}
    limit $6`,
  )

const LISTS = {
  asc: list('audit_entries_list', { beyond: '>', order: 'asc' }),
  desc: list('audit_entries_list_newest', { beyond: '<', order: 'desc' }),
}

/** Those of people have an index; others are scanned for. */
const PERSON = ':adm_'
const OF_PERSON = `r.actor = $3 and strpos(r.actor, '${PERSON}') > 0`
const LISTS_OF_PERSON = {
  asc: list('audit_entries_list_of_person', { beyond: '>', order: 'asc', of: OF_PERSON }),
  desc: list('audit_entries_list_of_person_newest', { beyond: '<', order: 'desc', of: OF_PERSON }),
}
export type Order = keyof typeof LISTS
export const ORDERS = ['asc', 'desc'] as const satisfies Order[]

const START: Record<Order, Cursor> = { asc: { xid: '0', id: '' }, desc: END }

/** `$2` and `$3` are the cursor; newest first, with the names of companies, and the networks from which cards were checked. */
const LIST_OF_USER = statement(
  'audit_entries_of_user',
  `select ${ENTRY.list}, coalesce(p.name, b.name, c.network) as name
     from audit_entries e
     left join platforms p on split_part(e.actor, ':', 1) in ('platform', 'platform_person') and p.platform_id = split_part(e.actor, ':', 2)
     left join benefit_providers b on split_part(e.actor, ':', 1) in ('provider', 'provider_person') and b.benefit_provider_id = split_part(e.actor, ':', 2)
     left join card_checks c on e.actor = 'system:card-check' and c.user_id = e.user_id and c.audit_id = e.audit_id
    where e.user_id = $1 and (e.xid, e.audit_id) < ($2::xid8, $3)
    order by e.xid desc, e.audit_id desc
    limit $4`,
)

export type Entry = RecordOf<typeof ENTRY>
/** From a time on, and before another one. */
export type Period = { from: Date | undefined; before: Date | undefined }
export type Filter = Period & {
  actor: string | undefined
  subject: string | undefined
  actions: AuditAction[] | undefined
}

type Row = { is_match: boolean }
type ScannedEntry = Entry & { position: number; isMatch: boolean }

type Listing = { filter: Filter; order: Order; after: Cursor | undefined; limit: number }

/** Returns the entries after a cursor, in order. The entry at `SCANNED_MAX` is included even if it does not match. */
export async function listAfter(db: Queryable, { filter, order, after, limit }: Listing): Promise<ScannedEntry[]> {
  const { actor, subject, actions, from, before } = filter
  const { xid, id } = after ?? (await findStart(db, filter, order))
  const lists = actor?.includes(PERSON) ? LISTS_OF_PERSON : LISTS
  const values = [actor, subject, actions, limit, from?.toISOString(), before?.toISOString()]
  const rows = await db.query<Row>(lists[order], [xid, id, ...values.map((value) => value ?? null)])
  return rows.map((row) => ({ ...ENTRY.decode(row), ...POSITION.decode(row), isMatch: row.is_match }))
}

/**
 * Entries are in the order of their transactions, not of their times: a read is written with others, after an outage much later. So far
 * from a period none of its entries is looked for.
 */
const DISORDER_MS = 3_600_000

const BIGGEST_POSITION = 2n ** 63n - 1n

const FIND_FROM = statement(
  'audit_entries_find_from',
  `select ${columns('e', { at: instant('at') }).list}, e.xid::text as xid
     from audit_entries e
    where e.xid >= $1::xid8
    order by e.xid, e.audit_id
    limit 1`,
)

/** Returns where a list of a period begins: there is no index of times, but the order is nearly theirs, and each step halves the log. */
export async function findStart(db: Queryable, { from, before }: Period, order: Order): Promise<Cursor> {
  const at =
    order === 'asc'
      ? from && new Date(from.getTime() - DISORDER_MS)
      : before && new Date(before.getTime() + DISORDER_MS)
  if (at === undefined) return START[order]
  let [low, high] = [0n, BIGGEST_POSITION]
  while (low < high) {
    const middle = (low + high) / 2n
    const [next] = await db.query<{ at_s: number; xid: string }>(FIND_FROM, [String(middle)])
    if (next === undefined || next.at_s * 1_000 >= at.getTime()) high = middle
    else low = BigInt(next.xid) + 1n
  }
  return { xid: String(low), id: '' }
}

/** Returns true where nothing of the period follows, so far beyond its other end. */
export const isBeyond = ({ at }: Pick<Entry, 'at'>, { from, before }: Period, order: Order): boolean =>
  order === 'asc'
    ? before !== undefined && at.getTime() > before.getTime() + DISORDER_MS
    : from !== undefined && at.getTime() < from.getTime() - DISORDER_MS

export type EntryOfUser = Entry & RecordOf<typeof SHOWN_NAME>

export async function listOfUser(
  db: Queryable,
  { userId, before, limit }: { userId: string; before: Cursor; limit: number },
): Promise<EntryOfUser[]> {
  const rows = await db.query<object>(LIST_OF_USER, [userId, before.xid, before.id, limit])
  return rows.map((row) => ({ ...ENTRY.decode(row), ...SHOWN_NAME.decode(row) }))
}
