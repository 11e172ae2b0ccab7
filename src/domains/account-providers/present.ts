import type { Static } from 'typebox'
import type { AccountProvider as AccountProviderSchema } from './schemas.ts'
import type { AccountProvider } from './store.ts'

export const presentAccountProvider = (provider: AccountProvider): Static<typeof AccountProviderSchema> => ({
  id: provider.id,
  name: provider.name,
  status: provider.status,
  created_at: provider.createdAt,
  last_modified_at: provider.lastModifiedAt,
})

export const versionOf = (provider: AccountProvider) => ({
  record: presentAccountProvider(provider),
  revision: provider.revision,
})
