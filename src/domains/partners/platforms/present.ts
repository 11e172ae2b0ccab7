import type { Static } from 'typebox'
import type { Platform as PlatformSchema } from './schemas.ts'
import type { Platform } from './store.ts'

export const presentPlatform = (platform: Platform): Static<typeof PlatformSchema> => ({
  id: platform.id,
  name: platform.name,
  status: platform.status,
  default_account_type: platform.defaultAccountType,
  created_at: platform.createdAt,
  last_modified_at: platform.lastModifiedAt,
})

export const versionOf = (platform: Platform) => ({ record: presentPlatform(platform), revision: platform.revision })
