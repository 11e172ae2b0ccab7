import { LINKED_PLATFORM_ACCESS, RAISE_ACCESS } from '../../../access/platform-access.ts'
import type { Caller } from '../../../access/caller.ts'
import { LINKED_REVOCATIONS } from '../../../access/revocations.ts'
import { checkIsOwn } from '../../../access/scope.ts'
import { WALLET_LIMITS } from '../../../access/wallet-limits.ts'
import { findWebOrigins, WEB_ORIGINS_UPDATE } from '../../../access/web-origins.ts'
import { type Queryable, statement } from '../../../kernel/db/database.ts'
import type { Page, Paged } from '../../../kernel/db/page.ts'
import { recordedWrite } from '../../../record/index.ts'
import { type Platform, PLATFORMS } from './records.ts'
import type { PlatformStatus } from './states.ts'

const FIND = statement('platforms_find', `${PLATFORMS.select} where p.platform_id = $1`)

const LIST = statement(
  'platforms_list',
  PLATFORMS.newest({ where: '($1::text[] is null or p.status = any ($1))', limit: '$2', offset: '$3' }),
)

const LIST_IDS = statement('platforms_list_ids', 'select platform_id from platforms limit $1')

export const insert = PLATFORMS.insert('platforms_insert', { linked: [LINKED_PLATFORM_ACCESS], history: 'catalogue' })

/** Starts a new token epoch; tokens of earlier epochs are revoked. */
export const setStatus = PLATFORMS.update('platforms_set_status', ['status'], {
  linked: [LINKED_PLATFORM_ACCESS, LINKED_REVOCATIONS],
  history: 'catalogue',
})

export const SET_WEB_ORIGINS = recordedWrite({
  name: 'platform_access_set_web_origins',
  ...WEB_ORIGINS_UPDATE,
  events: false,
})

/** Only a change of the status counts the revision, so the difference says which of the two it is. */
const RAISE_EPOCH = statement(
  'platforms_raise_epoch',
  `with raised as (
     update platforms
        set status = case when ($2 - revision) % 2 = 0 then status when status = 'ACTIVE' then 'INACTIVE' else 'ACTIVE' end,
            revision = $2
      where platform_id = $1 and revision < $2
     returning platform_id, status
   )
   ${RAISE_ACCESS}`,
)

/** Disables or enables a platform as it was before a database was restored; false when it is. */
export const raisePlatformEpoch = async (db: Queryable, id: string, epoch: number): Promise<boolean> =>
  (await db.query(RAISE_EPOCH, [id, epoch])).length > 0

export const hasPlatform = async (db: Queryable, id: string): Promise<boolean> =>
  (await db.query<object>(FIND, [id])).length > 0

type Target = { deps: { db: Queryable }; params: { platform_id: string } }

/** Returns the platform in the path. Throws 404 `not_found` when there is none. */
export const platformInPath = async ({ deps, params }: Target): Promise<Platform> =>
  PLATFORMS.decodeFound(await deps.db.query<object>(FIND, [params.platform_id]))

export const SET_WALLET_LIMITS = recordedWrite({
  name: 'platform_access_set_wallet_limits',
  ...WALLET_LIMITS.update,
  events: false,
})

/** Finds what is set for the platform in the path. Throws 404 `not_found` when there is none, or it is not the caller's. */
export const setInPath =
  <T>(find: (db: Queryable, platformId: string) => Promise<T>) =>
  async ({ deps, request, params }: Target & { request: { caller: Caller } }): Promise<T> => {
    checkIsOwn(request.caller, { platformId: params.platform_id })
    return find(deps.db, params.platform_id)
  }
export const originsInPath = setInPath(findWebOrigins)
export const limitsInPath = setInPath(WALLET_LIMITS.find)

type Filter = { statuses: PlatformStatus[] | undefined; page: Page }

export const findPlatforms = async (db: Queryable, { statuses, page }: Filter): Promise<Paged<Platform>> =>
  PLATFORMS.decodePage(await db.query<{ total: number }>(LIST, [statuses ?? null, page.limit, page.offset]))

export async function listPlatformIds(db: Queryable, limit: number): Promise<string[]> {
  return (await db.query<{ platform_id: string }>(LIST_IDS, [limit])).map((row) => row.platform_id)
}
