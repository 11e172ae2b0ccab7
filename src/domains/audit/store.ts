import { columns, decoded, instant, integer, nullable, oneOf, type RecordOf, text } from '../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../kernel/db/database.ts'
import { AUDIT_ACTIONS, type AuditAction } from '../../record/index.ts'

const ENTRY = columns('e', {
  id: text('audit_id'),
  xid: { ...decoded('xid', String), select: (alias) => `${alias}.xid::text as xid` },
  at: instant('at'),
  actor: text('actor'),
  operation: text('operation'),
  action: oneOf('action', AUDIT_ACTIONS),
  subject: nullable(text('subject')),
  userId: nullable(text('user_id')),
  requestId: text('request_id'),
  purpose: nullable(text('purpose')),
})
const PLACE = columns('e', { place: integer('place') })
const SHOWN_NAME = columns('n', { name: nullable(text('name')) })

/** Where a reader is: behind this entry. */
export type Cursor = { xid: string; id: string }
export const BEGINNING: Cursor = { xid: '0', id: '' }
/** Behind the newest there can be. */
export const END: Cursor = { xid: '9999999999999999999', id: '' }

/** How many entries a page looks at, at most, however few of them are meant. */
export const LOOKED_AT_MAX = 1_000

const IS_MEANT = `($3::text is null or e.actor = $3) and ($4::text is null or e.subject = $4)
  and ($5::text[] is null or e.action = any ($5))`

/**
 * `$1` and `$2` are the cursor. Only what is older than every transaction under way, as in the log of events; the last entry
 * that was looked at is there whatever it is: the next page begins behind it.
 */
const LIST = statement(
  'audit_entries_list',
  `select ${ENTRY.list}, ${PLACE.list}, ${IS_MEANT} as is_meant
     from (select r.audit_id, r.xid, r.at, r.actor, r.operation, r.action, r.subject, r.user_id, r.request_id, r.purpose,
                  row_number() over (order by r.xid, r.audit_id)::int as place
             from audit_entries r
            where (r.xid, r.audit_id) > ($1::xid8, $2) and r.xid < pg_snapshot_xmin(pg_current_snapshot())
            order by r.xid, r.audit_id
            limit ${LOOKED_AT_MAX}) e
    where (${IS_MEANT}) or e.place = ${LOOKED_AT_MAX}
    order by e.xid, e.audit_id
    limit $6`,
)

/** `$2` and `$3` are the cursor; the newest first, with the names of those who are companies. */
const LIST_OF_USER = statement(
  'audit_entries_of_user',
  `select ${ENTRY.list}, coalesce(p.name, b.name) as name
     from audit_entries e
     left join platforms p on e.actor like 'platform:%' and p.platform_id = split_part(e.actor, ':', 2)
     left join benefit_providers b on e.actor like 'provider:%' and b.benefit_provider_id = split_part(e.actor, ':', 2)
    where e.user_id = $1 and (e.xid, e.audit_id) < ($2::xid8, $3)
    order by e.xid desc, e.audit_id desc
    limit $4`,
)

export type Entry = RecordOf<typeof ENTRY>
export type Filter = { actor: string | undefined; subject: string | undefined; actions: AuditAction[] | undefined }

type Row = { is_meant: boolean }
export type LookedAt = Entry & { place: number; isMeant: boolean }

/** The entries behind a cursor, in order. One at the place `LOOKED_AT_MAX` is there although it may not be meant. */
export async function listAfter(
  db: Queryable,
  { filter, after, limit }: { filter: Filter; after: Cursor; limit: number },
): Promise<LookedAt[]> {
  const { actor, subject, actions } = filter
  const values = [after.xid, after.id, actor ?? null, subject ?? null, actions ?? null, limit]
  const rows = await db.query<Row>(LIST, values)
  return rows.map((row) => ({ ...ENTRY.decode(row), ...PLACE.decode(row), isMeant: row.is_meant }))
}

export type EntryOfUser = Entry & RecordOf<typeof SHOWN_NAME>

export async function listOfUser(
  db: Queryable,
  { userId, before, limit }: { userId: string; before: Cursor; limit: number },
): Promise<EntryOfUser[]> {
  const rows = await db.query<object>(LIST_OF_USER, [userId, before.xid, before.id, limit])
  return rows.map((row) => ({ ...ENTRY.decode(row), ...SHOWN_NAME.decode(row) }))
}
