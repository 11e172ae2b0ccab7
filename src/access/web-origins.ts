import { columns, text, texts } from '../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../kernel/db/database.ts'
import type { PeriodicTask } from '../kernel/jobs/periodic.ts'

/** Every node must know a change within five seconds. */
export const READ_INTERVAL_MS = 4_000

const STORED = columns('a', { id: text('platform_id'), webOrigins: texts('web_origins') })

/** The origins of the pages of a platform. */
export type PlatformOrigins = { id: string; webOrigins: readonly string[] }

const FIND = statement('web_origins_find', `select ${STORED.list} from platform_access a where a.platform_id = $1`)

const READ = statement('web_origins_read', `select ${STORED.list} from platform_access a where a.web_origins <> '{}'`)

/** Replaces the list that was read; the list itself is its version. */
export const WEB_ORIGINS_UPDATE = {
  values: { platformId: text('platform_id'), former: texts('former'), webOrigins: texts('web_origins') },
  update: 'platform_access a',
  key: 'a.platform_id = :platform_id',
  guard: 'a.web_origins = :former',
  set: 'web_origins = :web_origins',
} as const

/** Returns the origins of a platform. Throws 404 `not_found` when there is none with this id. */
export const findWebOrigins = async (db: Queryable, platformId: string): Promise<PlatformOrigins> =>
  STORED.decode(foundRow(await db.query<object>(FIND, [platformId])))

export type WebOrigins = ReturnType<typeof createWebOrigins>

/** Keeps in memory which platforms named an origin: a preflight has no token, and must not cost a query. */
export function createWebOrigins(db: Queryable) {
  let platforms: ReadonlyMap<string, ReadonlySet<string>> = new Map()

  async function read(): Promise<void> {
    const platformsByOrigin = new Map<string, Set<string>>()
    for (const { id, webOrigins } of (await db.query<object>(READ)).map(STORED.decode)) {
      for (const origin of webOrigins)
        platformsByOrigin.set(origin, (platformsByOrigin.get(origin) ?? new Set()).add(id))
    }
    platforms = platformsByOrigin
  }

  return {
    read,
    readingTask: { name: 'read-web-origins', every_ms: READ_INTERVAL_MS, run: read } satisfies PeriodicTask,
    /** Undefined for an origin that nobody named. */
    platformsOf: (origin: string): ReadonlySet<string> | undefined => platforms.get(origin),
  }
}
