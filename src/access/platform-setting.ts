import { type Column, columns, text } from '../kernel/db/columns.ts'
import { foundRow, type Queryable, statement } from '../kernel/db/database.ts'
import type { PeriodicTask } from '../kernel/jobs/periodic.ts'
import { READ_INTERVAL_MS } from './web-origins.ts'

/** What is set for all users of a platform, which is its own version. */
export type SetForPlatform<T> = { id: string; value: T }

/**
 * Defines a setting of platforms: a `jsonb` column of `platform_access`, which is `nothing` where nothing is set. It can be kept in memory, so
 * that platforms that set nothing cost no query.
 */
export function platformSetting<T, const Name extends string>(column: Column<T, T, Name>, nothing: '[]' | '{}') {
  const name = column.column
  const { list, decode } = columns('a', { id: text('platform_id'), value: column })
  const FIND = statement(`${name}_find`, `select ${list} from platform_access a where a.platform_id = $1`)
  const READ = statement(`${name}_read`, `select ${list} from platform_access a where a.${name} <> '${nothing}'`)

  return {
    /** Returns what is set. Throws 404 `not_found` when there is no platform with this id. */
    find: async (db: Queryable, platformId: string): Promise<SetForPlatform<T>> =>
      decode(foundRow(await db.query<object>(FIND, [platformId]))),

    /** Replaces what was read, both as JSON. */
    update: {
      values: { platformId: text('platform_id'), former: text('former'), value: text('value') },
      update: 'platform_access a',
      key: 'a.platform_id = :platform_id',
      guard: `a.${name} = (:former)::jsonb`,
      set: `${name} = (:value)::jsonb`,
    } as const,

    /** Returns the values of that. */
    toValues: ({ id, value: former }: SetForPlatform<T>, value: T) => ({
      platform_id: id,
      former: JSON.stringify(former),
      value: JSON.stringify(value),
    }),

    /** Keeps in memory what platforms have set. */
    createMemory(db: Queryable) {
      let byPlatform: ReadonlyMap<string, T> = new Map()

      async function read(): Promise<void> {
        byPlatform = new Map((await db.query<object>(READ)).map(decode).map(({ id, value }) => [id, value]))
      }

      return {
        read,
        readingTask: {
          name: `read-${name.replaceAll('_', '-')}`,
          every_ms: READ_INTERVAL_MS,
          run: read,
        } satisfies PeriodicTask,
        /** Undefined for a platform that has set nothing. */
        of: (platformId: string): T | undefined => byPlatform.get(platformId),
      }
    },
  }
}
