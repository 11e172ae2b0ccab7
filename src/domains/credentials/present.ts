import type { Static } from 'typebox'
import type { Credential as CredentialSchema } from './schemas.ts'
import type { Credential } from './store.ts'

const presentCredential = (credential: Credential): Static<typeof CredentialSchema> => ({
  credential_id: credential.id,
  created_at: credential.createdAt,
  expires_at: credential.expiresAt,
  ip_allow_list: credential.ipAllowList,
  last_used_at: credential.lastUsedAt,
})

/** Nothing of it is changed but by use, which it shows. */
export const versionOf = (credential: Credential) => ({ record: presentCredential(credential), revision: 1 })
