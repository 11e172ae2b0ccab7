import { insertPart, type PartRow } from '../kernel/db/write-statement.ts'

/**
 * Whether the users of a platform may get in, and the epoch of their tokens: those of an earlier epoch are not valid any
 * more. Written with the platform, as a part of its write.
 */
export const PLATFORM_ACCESS_PART = insertPart(
  'platform_access',
  'platform_id text, is_active boolean, epoch int',
  'on conflict (platform_id) do update set is_active = excluded.is_active, epoch = excluded.epoch',
)

type PlatformAccess = { platformId: string; isActive: boolean; epoch: number }

export const platformAccessOf = ({ platformId, isActive, epoch }: PlatformAccess): PartRow => ({
  platform_id: platformId,
  is_active: isActive,
  epoch,
})

/** SQL: the platform named by the column is active, in the epoch of the other column. */
export const isPlatformOpen = (platformId: string, epoch: string): string => `exists (
  select from platform_access p
   where p.platform_id = ${platformId} and p.is_active and p.epoch = ${epoch})`
