import { createBenefitProviderCredential, createPlatformCredential } from './create-credential.ts'
import { exchangeCredential } from './exchange-credential.ts'
import { listBenefitProviderCredentials, listPlatformCredentials } from './list-credentials.ts'
import { readBenefitProviderCredential, readPlatformCredential } from './read-credential.ts'
import { revokeBenefitProviderCredential, revokePlatformCredential } from './revoke-credential.ts'

export { openCredentialUses } from './open-credential-uses.ts'

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
