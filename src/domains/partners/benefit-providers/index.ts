import { createBenefitProvider } from './create-benefit-provider.ts'
import { listBenefitProviders } from './list-benefit-providers.ts'
import { readBenefitProvider } from './read-benefit-provider.ts'
import { updateBenefitProvider } from './update-benefit-provider.ts'

export { benefitProviderInPath, hasBenefitProvider, insertBenefitProvider } from './store.ts'
export { BenefitProviderPath } from './records.ts'

export const benefitProviderOperations = [
  createBenefitProvider,
  listBenefitProviders,
  readBenefitProvider,
  updateBenefitProvider,
]
