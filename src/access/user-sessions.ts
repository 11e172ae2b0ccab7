import { columns, nullable, type RecordOf, text, time } from '../kernel/db/columns.ts'
import { type Queryable, statement } from '../kernel/db/database.ts'
import { listText } from '../kernel/db/list-text.ts'
import { decodePage, type Page, type Paged } from '../kernel/db/page.ts'
import { linkedWrite } from '../kernel/db/write-statement.ts'
import { ABSOLUTE_SECONDS } from './refresh-families.ts'
import { LINKED_REVOKE_ENDED } from './revocations.ts'

const SESSION = columns('f', {
  id: text('family_id'),
  begunAt: {
    ...time('begun_at'),
    select: (f) => `${f}.expires_at - ${ABSOLUTE_SECONDS} * interval '1 second' as begun_at`,
  },
  lastUsedAt: time('rotated_at'),
  expiresAt: time('expires_at'),
  endedAt: nullable(time('ended_at')),
})

export type Session = RecordOf<typeof SESSION>

const LIST_SESSIONS = statement(
  'refresh_families_list',
  listText({
    columns: SESSION.list,
    from: 'refresh_families f',
    where: 'f.user_id = $1',
    order: 'f.expires_at desc, f.family_id desc',
    limit: '$2',
    offset: '$3',
  }),
)

/** Returns a page of the sessions of a user, the newest first, until a day after they have expired. */
export async function listSessions(db: Queryable, userId: string, { limit, offset }: Page): Promise<Paged<Session>> {
  const rows = await db.query<{ total: number }>(LIST_SESSIONS, [userId, limit, offset])
  return decodePage(rows, 'family_id', SESSION.decode)
}

/** SQL: ends the sessions of a user; the arguments are SQL expressions. */
const endText = ({ user, at, from = '' }: { user: string; at: string; from?: string }) => `update refresh_families f
        set ended_at = ${at} ${from}
      where f.user_id = ${user} and f.ended_at is null
     returning f.family_id as session_id`

const OF_ROW = { at: 'r.at', from: 'from r join changed using (n)' }

/** Ends the sessions of the user `$1` at the time `$2`. */
const END_ALL = statement(
  'refresh_families_end_user',
  `with ended as (${endText({ user: '$1', at: '$2' })}) ${LINKED_REVOKE_ENDED.text}`,
)

/**
 * Ends every session of the user `:user_id` of a write; their access tokens stop working within a second. One that begins
 * while the write waits for the row of its one-time code ends afterwards.
 */
export const LINKED_END_SESSIONS = linkedWrite(
  { userId: text('user_id'), at: time('at') },
  {
    name: 'ended',
    text: endText({ user: 'r.user_id', ...OF_ROW }),
    single: endText({ user: ':user_id', ...OF_ROW }),
    afterwards: END_ALL,
  },
)

/** Ends the sessions `$1` at the time `$2`, of any users. */
const END_LISTED = statement(
  'refresh_families_end_listed',
  'update refresh_families set ended_at = $2 where family_id = any ($1) and ended_at is null returning family_id',
)

/** Ends sessions that had ended before a database was restored; returns those that were open. */
export async function endListedFamilies(db: Queryable, ids: readonly string[], at: Date): Promise<string[]> {
  return (await db.query<{ family_id: string }>(END_LISTED, [ids, at])).map(({ family_id }) => family_id)
}

/** Deletes every session of the user `$1`. Hashes of tokens lead to nothing then, and age. */
export const ERASE_SESSIONS = statement(
  'refresh_families_erase_user',
  'delete from refresh_families where user_id = $1',
)
