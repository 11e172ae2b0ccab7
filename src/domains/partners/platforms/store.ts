import { PLATFORM_ACCESS_PART } from '../../../access/platform-access.ts'
import { REVOCATIONS_PART } from '../../../access/revocations.ts'
import { oneOf, type RecordOf, text } from '../../../kernel/db/columns.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { table } from '../../../kernel/db/table.ts'
import { VERSION } from '../../../kernel/db/version.ts'
import { recordedWrite } from '../../../record/index.ts'
import { ACCOUNT_TYPES, PLATFORM_STATUSES, type PlatformStatus } from './states.ts'

const PLATFORM = table('platforms p', {
  id: text('platform_id'),
  name: text('name'),
  status: oneOf('status', PLATFORM_STATUSES),
  defaultAccountType: oneOf('default_account_type', ACCOUNT_TYPES),
  ...VERSION,
})

export type Platform = RecordOf<typeof PLATFORM>

const FIND = statement('platforms_find', `${PLATFORM.select} where p.platform_id = $1`)

const LIST = statement(
  'platforms_list',
  PLATFORM.newest({ where: '($1::text[] is null or p.status = any ($1))', limit: '$2', offset: '$3' }),
)

const LIST_IDS = statement('platforms_list_ids', 'select platform_id from platforms limit $1')

export const INSERT_PLATFORM = recordedWrite({
  name: 'platforms_insert',
  one: `insert into platforms (platform_id, name, status, default_account_type, created_at, last_modified_at)
        values ($1, $2, $3, $4, $5, $5)
        returning 1 as n`,
  parts: [PLATFORM_ACCESS_PART],
  history: 'catalogue',
})

/** Guarded by the revision that was read. Starts a new token epoch; tokens of earlier epochs are revoked. */
export const SET_PLATFORM_STATUS = recordedWrite({
  name: 'platforms_set_status',
  one: `update platforms
           set status = $3, revision = revision + 1, last_modified_at = $4
         where platform_id = $1 and revision = $2
        returning 1 as n`,
  parts: [PLATFORM_ACCESS_PART, REVOCATIONS_PART],
  history: 'catalogue',
})

/** Returns a platform. Throws 404 `not_found` when there is none. */
export const findPlatform = async (db: Queryable, id: string): Promise<Platform> =>
  PLATFORM.decodeFound(await db.query<object>(FIND, [id]))

type Filter = { statuses: PlatformStatus[] | undefined; page: Page }

export const listPlatforms = async (db: Queryable, { statuses, page }: Filter): Promise<Paged<Platform>> =>
  PLATFORM.decodePage(await db.query<{ total: number }>(LIST, [statuses ?? null, page.limit, page.offset]))

/** Returns the ids of at most `limit` platforms, in any status. */
export async function listPlatformIds(db: Queryable, limit: number): Promise<string[]> {
  return (await db.query<{ platform_id: string }>(LIST_IDS, [limit])).map((row) => row.platform_id)
}
