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

/** A constant revision: only use changes a credential, and the record shows it. */
export const versionOf = (credential: Credential) => ({ record: presentCredential(credential), revision: 1 })
