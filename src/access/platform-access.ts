import { flag, integer, text } from '../kernel/db/columns.ts'
import { linkedInsert } from '../kernel/db/write-statement.ts'

/**
 * Whether the users of a platform have access, and the epoch of their tokens: those of earlier epochs are revoked.
 * Written as a part of the platform's write.
 */
export const LINKED_PLATFORM_ACCESS = linkedInsert(
  'platform_access',
  { platformId: text('platform_id'), isActive: flag('is_active'), epoch: integer('epoch') },
  'on conflict (platform_id) do update set is_active = excluded.is_active, epoch = excluded.epoch',
)

/** SQL: gives access the epoch `$2`, and the status, of the platform in a part named `raised`. */
export const RAISE_ACCESS = `update platform_access a
      set is_active = r.status = 'ACTIVE', epoch = $2
     from raised r
    where a.platform_id = r.platform_id
   returning a.platform_id`

/** SQL: the platform in one column is active, and in the epoch of the other column. */
export const isPlatformOpen = (platformId: string, epoch: string): string => `exists (
  select from platform_access p
   where p.platform_id = ${platformId} and p.is_active and p.epoch = ${epoch})`
