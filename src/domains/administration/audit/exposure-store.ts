import { columns, decoded, instant, integer, nullable, oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import { HORIZON } from '../../../kernel/db/log-position.ts'
import { AUDIT_ACTIONS } from '../../../record/index.ts'
import { type Cursor, findStart, type Period } from './store.ts'

/** Maximum number of entries scanned for a page, however few are of the credential. */
const SCANNED_MAX = 20_000

const FIRST = columns('e', {
  id: text('audit_id'),
  xid: { ...decoded('xid', String), select: (alias) => `${alias}.xid::text as xid` },
  at: instant('at'),
  operation: text('operation'),
  action: oneOf('action', AUDIT_ACTIONS),
  subject: nullable(text('subject')),
  userId: nullable(text('user_id')),
  position: integer('position'),
})
const ALL = columns('a', {
  count: integer('count'),
  firstAt: nullable(instant('first_at')),
  lastAt: nullable(instant('last_at')),
})

/** SQL: whether an entry was made with the credential `$1` in the period from `$4` to `$5`. */
const isOfCredential = (e: string) =>
  `${e}.credential_id = $1 and ($4::timestamptz is null or ${e}.at >= $4) and ($5::timestamptz is null or ${e}.at < $5)`

/** SQL: whether an entry is of a platform `$6`, or of a user, whose platform is to be looked up. */
const IS_OF_PLATFORM = `($6::text is null or split_part(e.actor, ':', 1) = 'user'
  or (split_part(e.actor, ':', 1) in ('platform', 'platform_person') and split_part(e.actor, ':', 2) = $6))`

/** SQL: the other entries of the same operation on the same person, or else on the same record, each from its own index. */
const others = (what: string, where = 'true') => ({
  ofUser: `select ${what} from audit_entries f
             where f.user_id = e.user_id and f.operation = e.operation and f.action = e.action and ${isOfCredential('f')} and ${where}`,
  ofRecord: `select ${what} from audit_entries f
             where e.user_id is null and f.user_id is null and coalesce(f.subject, '') = coalesce(e.subject, '')
               and f.operation = e.operation and f.action = e.action and ${isOfCredential('f')} and ${where}`,
})

const EARLIER = others('', '(f.xid, f.audit_id) < (e.xid, e.audit_id)')
const SAME = others('f.at', `f.xid < ${HORIZON}`)

const IS_FIRST = `coalesce(${isOfCredential('e')}, false) and ${IS_OF_PLATFORM}
  and not exists (${EARLIER.ofUser}) and not exists (${EARLIER.ofRecord})`

/**
 * `$2` and `$3` are the cursor. The first entry of each operation on each person or record stands for all of them, so a list in the
 * order of the log has each once, and needs no index that every write would keep. Includes the last scanned entry even
 * if it is no first one, because the next page begins after it.
 */
const LIST = statement(
  'audit_entries_exposed',
  `select ${FIRST.list}, ${ALL.list}, (${IS_FIRST}) as is_first
     from (select r.audit_id, r.xid, r.at, r.actor, r.operation, r.action, r.subject, r.user_id, r.credential_id,
                  row_number() over (order by r.xid, r.audit_id)::int as position
             from audit_entries r
            where (r.xid, r.audit_id) > ($2::xid8, $3) and r.xid < ${HORIZON}
            order by r.xid, r.audit_id
            limit ${SCANNED_MAX}) e
    cross join lateral (
       select count(*)::int as count, min(o.at) as first_at, max(o.at) as last_at
         from (${SAME.ofUser} union all ${SAME.ofRecord}) o) a
    where (${IS_FIRST}) or e.position = ${SCANNED_MAX}
    order by e.xid, e.audit_id
    limit $7`,
)

const FIND_PLATFORM = statement('users_platform_of_exposed', 'select platform_id from users where user_id = $1')

type Row = RecordOf<typeof FIRST> & RecordOf<typeof ALL>
/** An operation on a person or a record, by its first entry. */
export type Exposed = Row & { isFirst: boolean; isLastScanned: boolean }

export type Exposure = Period & { credentialId: string; platformId: string | undefined }

type Listing = { exposure: Exposure; after: Cursor | undefined; limit: number }

/** Returns what a credential has read or changed, in the order of the log. Of a platform, only what its own credentials have. */
export async function listExposed(db: Queryable, { exposure, after, limit }: Listing): Promise<Exposed[]> {
  const { credentialId, platformId, from, before } = exposure
  const { xid, id } = after ?? (await findStart(db, exposure, 'asc'))
  const period = [from?.toISOString() ?? null, before?.toISOString() ?? null]
  const rows = await db.query<{ is_first: boolean }>(LIST, [
    credentialId,
    xid,
    id,
    ...period,
    platformId ?? null,
    limit,
  ])
  return rows.map((row) => {
    const entry = { ...FIRST.decode(row), ...ALL.decode(row) }
    return { ...entry, isFirst: row.is_first, isLastScanned: entry.position === SCANNED_MAX }
  })
}

/** Returns the platform of a user, erased or not. */
export async function findPlatformOf(db: Queryable, userId: string): Promise<string | undefined> {
  return (await db.query<{ platform_id: string }>(FIND_PLATFORM, [userId]))[0]?.platform_id
}
