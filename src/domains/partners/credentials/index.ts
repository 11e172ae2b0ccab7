import { createBenefitProviderCredential } from './create-benefit-provider-credential.ts'
import { createPlatformCredential } from './create-platform-credential.ts'
import { exchangeCredential } from './exchange-credential.ts'
import { listBenefitProviderCredentials } from './list-benefit-provider-credentials.ts'
import { listPlatformCredentials } from './list-platform-credentials.ts'
import { readBenefitProviderCredential } from './read-benefit-provider-credential.ts'
import { readPlatformCredential } from './read-platform-credential.ts'
import { revokeBenefitProviderCredential } from './revoke-benefit-provider-credential.ts'
import { revokePlatformCredential } from './revoke-platform-credential.ts'

export { createCredentialUses } from './create-credential-uses.ts'
export { deleteRevokedCredential } from './store.ts'

export const credentialOperations = [
  listPlatformCredentials,
  createPlatformCredential,
  readPlatformCredential,
  revokePlatformCredential,
  listBenefitProviderCredentials,
  createBenefitProviderCredential,
  readBenefitProviderCredential,
  revokeBenefitProviderCredential,
  exchangeCredential,
]
