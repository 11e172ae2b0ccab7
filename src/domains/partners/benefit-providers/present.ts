import type { Static } from 'typebox'
import type { BenefitProvider as BenefitProviderSchema } from './schemas.ts'
import type { BenefitProvider } from './store.ts'

export const presentBenefitProvider = (provider: BenefitProvider): Static<typeof BenefitProviderSchema> => ({
  id: provider.id,
  name: provider.name,
  code: provider.code,
  created_at: provider.createdAt,
  last_modified_at: provider.lastModifiedAt,
})

export const versionOf = (provider: BenefitProvider) => ({
  record: presentBenefitProvider(provider),
  revision: provider.revision,
})
