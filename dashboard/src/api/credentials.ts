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
        create: (body: CreatePlatformCredentialRequest, options: Options) =>
          platforms.createCredential(platform, body, options),
        revoke: (credential: CredentialId, { keepsUsers, signal }: Revocation) =>
          platforms.revokeCredential(platform, credential, keepsUsers ? { keep_user_tokens: 'true' } : {}, { signal }),
      }
    : {
        list: (signal: AbortSignal) => benefitProviders.listCredentials(provider, { signal }),
        read: (credential: CredentialId, signal: AbortSignal) =>
          benefitProviders.readCredential(provider, credential, { signal }),
        create: (body: CreatePlatformCredentialRequest, options: Options) =>
          benefitProviders.createCredential(provider, body, options),
        revoke: (credential: CredentialId, { signal }: Revocation) =>
          benefitProviders.revokeCredential(provider, credential, { signal }),
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

type Options = { signal: AbortSignal }
type Revocation = Options & { /** Tokens of users made with it last until they expire. */ keepsUsers: boolean }

export const createCredential = (owner: CredentialOwner, body: CreatePlatformCredentialRequest, options: Options) =>
  operationsFor(owner).create(body, options)

export const revokeCredential = (owner: CredentialOwner, id: CredentialId, revocation: Revocation) =>
  operationsFor(owner).revoke(id, revocation)
