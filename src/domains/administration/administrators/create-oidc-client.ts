import * as client from 'openid-client'
import type { OidcSettings } from '../../../settings/read-oidc.ts'
import { measuredFetch } from '../../../kernel/outbound/measured-call.ts'
import { ProviderUnavailable } from './identity-provider.ts'

const TIMEOUT_SECONDS = 5
/** Between our clock and the provider's. */
export const CLOCK_TOLERANCE_SECONDS = 30
const RESPONSE_BYTES_MAX = 256 * 1024
/** The provider's endpoints almost never change. */
const METADATA_MS = 60 * 60_000

/** How a client proves who it is (OpenID Connect Core, 9), in the order of trying those that the provider names. */
const AUTHENTICATIONS: Record<string, (secret: string) => client.ClientAuth> = {
  client_secret_basic: client.ClientSecretBasic,
  client_secret_post: client.ClientSecretPost,
  client_secret_jwt: client.ClientSecretJwt,
}
const BY_DEFAULT = 'client_secret_basic'

const INVALID_CLIENT = 'invalid_client'

type Settings = Pick<OidcSettings, 'issuer' | 'clientId' | 'clientSecret'>

/** The metadata of a provider, and how this installation is its client. */
export function createOidcClient({ issuer, clientId, clientSecret }: Settings) {
  let cached: { metadata: Promise<client.ServerMetadata>; until: number } | undefined
  const execute = [client.enableNonRepudiationChecks]
  if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests) // never in production
  const fetchWithin = measuredFetch('identity_provider', RESPONSE_BYTES_MAX)
  const ourMetadata = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS }

  return {
    /** Returns the provider's metadata; fetched again after an hour, and after a failure. */
    discover(): Promise<client.ServerMetadata> {
      if (cached && performance.now() < cached.until) return cached.metadata
      const options = { execute, timeout: TIMEOUT_SECONDS, [client.customFetch]: fetchWithin }
      const metadata = client
        .discovery(new URL(issuer), clientId, ourMetadata, undefined, options)
        .then((configuration) => configuration.serverMetadata())
        .catch((error: unknown) => {
          cached = undefined
          throw new ProviderUnavailable('the metadata of the identity provider is unavailable', { cause: error })
        })
      cached = { metadata, until: performance.now() + METADATA_MS }
      return metadata
    },

    /** The library keeps keys by the object of the metadata: a copy has each login verified with the keys of today. */
    configurationOf(metadata: client.ServerMetadata, author = BY_DEFAULT): client.Configuration {
      const authentication = AUTHENTICATIONS[author]?.(clientSecret)
      const configuration = new client.Configuration({ ...metadata }, clientId, ourMetadata, authentication)
      configuration.timeout = TIMEOUT_SECONDS
      configuration[client.customFetch] = fetchWithin
      for (const extend of execute) extend(configuration)
      return configuration
    },
  }
}

type OidcClient = ReturnType<typeof createOidcClient>
export type Redeemed = { configuration: client.Configuration; tokens: Tokens }
type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

/**
 * Returns what redeems a code. Of several ways to authenticate that a provider names, a client is often registered for one
 * only; a provider that rejects the way has not used the code up. The one that succeeded is tried first from then on.
 */
export function createRedeemer({ configurationOf }: OidcClient) {
  let succeeded = BY_DEFAULT
  return async (
    metadata: client.ServerMetadata,
    grant: (configuration: client.Configuration) => Promise<Tokens>,
  ): Promise<Redeemed> => {
    const named = metadata.token_endpoint_auth_methods_supported ?? [BY_DEFAULT]
    const usable = Object.keys(AUTHENTICATIONS).filter((one) => named.includes(one))
    const [first = BY_DEFAULT, ...others] = usable.toSorted((a, b) => Number(b === succeeded) - Number(a === succeeded))
    const redeemBy = async (author: string): Promise<Redeemed> => {
      const configuration = configurationOf(metadata, author)
      const tokens = await grant(configuration)
      succeeded = author
      return { configuration, tokens }
    }
    let result = redeemBy(first)
    for (const author of others)
      result = result.catch((error: unknown) => {
        if (readOauthError(error) === INVALID_CLIENT) return redeemBy(author)
        throw error
      })
    return result
  }
}

/** Returns the error that the provider names; undefined when it names none. */
export function readOauthError(error: unknown): string | undefined {
  if (error instanceof client.WWWAuthenticateChallengeError) return INVALID_CLIENT
  if (!(error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError))
    return undefined
  return /^[a-z_]{1,50}$/.test(error.error) ? error.error : undefined
}
