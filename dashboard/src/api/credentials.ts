import { benefitProviderId, type CreatePlatformCredentialRequest, type CredentialId, platformId } from '@banyan/client'
import { queryOptions } from '@tanstack/react-query'
import { banyan } from './banyan.ts'

/** Whose credentials: the kinds that have them have the same operations. */
export type CredentialOwner = { kind: 'platform' | 'benefit_provider'; id: string }

const operationsFor = ({ kind, id }: CredentialOwner) => {
  const { platforms, benefitProviders } = banyan
  const [platform, provider] = [platformId(id), benefitProviderId(id)]
  return kind === 'platform'
    ? {
        list: (signal: AbortSignal) => platforms.listCredentials(platform, { signal }),
        read: (credential: CredentialId, signal: AbortSignal) =>
          platforms.readCredential(platform, credential, { signal }),
        create: (body: CreatePlatformCredentialRequest) => platforms.createCredential(platform, body),
        revoke: (credential: CredentialId, keepsUserTokens: boolean) =>
          platforms.revokeCredential(platform, credential, keepsUserTokens ? { keep_user_tokens: 'true' } : {}),
      }
    : {
        list: (signal: AbortSignal) => benefitProviders.listCredentials(provider, { signal }),
        read: (credential: CredentialId, signal: AbortSignal) =>
          benefitProviders.readCredential(provider, credential, { signal }),
        create: (body: CreatePlatformCredentialRequest) => benefitProviders.createCredential(provider, body),
        revoke: (credential: CredentialId) => benefitProviders.revokeCredential(provider, credential),
      }
}

/** The live credentials, newest first. The list has ids only; there are 20 at most, so each is read. */
export const credentialsQuery = (owner: CredentialOwner) =>
  queryOptions({
    queryKey: ['credentials', owner],
    queryFn: async ({ signal }) => {
      const { list, read } = operationsFor(owner)
      const { credentials } = await list(signal)
      return Promise.all(credentials.map(({ credential_id: id }) => read(id, signal)))
    },
  })

export const createCredential = (owner: CredentialOwner, body: CreatePlatformCredentialRequest) =>
  operationsFor(owner).create(body)

export const revokeCredential = (owner: CredentialOwner, id: CredentialId, keepsUserTokens: boolean) =>
  operationsFor(owner).revoke(id, keepsUserTokens)
