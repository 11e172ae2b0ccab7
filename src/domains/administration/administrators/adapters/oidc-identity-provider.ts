import * as client from 'openid-client'
import type { OidcSettings } from '../../../../settings/read-oidc.ts'
import { measuredFetch } from '../../../../kernel/outbound/measured-call.ts'
import { claimAt } from '../claim-at.ts'
import {
  type Identity,
  type IdentityProvider,
  LoginFailed,
  LoginTooWeak,
  ProviderUnavailable,
} from '../identity-provider.ts'

const TIMEOUT_SECONDS = 5
/** Between our clock and the provider's. */
const CLOCK_TOLERANCE_SECONDS = 30
/** The provider's endpoints almost never change. */
const METADATA_MS = 60 * 60_000

/** The library's error codes of a response that does not prove who logged in, as opposed to an unavailable provider. */
const UNPROVEN_CODES = new Set([
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION', // of an ID token: its algorithm, its encryption, an extension of its header
])

export type OidcIdentityProviderSettings = Omit<OidcSettings, 'roles'> & { callbackUrl: string }

/** By OpenID Connect: authorization code, PKCE, state, nonce, and verified signatures of ID tokens. */
export function createOidcIdentityProvider(settings: OidcIdentityProviderSettings): IdentityProvider {
  const { issuer, clientId, clientSecret, scope, roleClaim, requiredAcr, callbackUrl } = settings
  let known: { configuration: Promise<client.Configuration>; until: number } | undefined

  /** Returns the provider's metadata; fetched again after an hour, and after a failure. */
  function discover(): Promise<client.Configuration> {
    if (known && performance.now() < known.until) return known.configuration
    const execute = [client.enableNonRepudiationChecks]
    if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests) // never in production
    const metadata = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
    const options = { execute, timeout: TIMEOUT_SECONDS, [client.customFetch]: measuredFetch('identity_provider') }
    const configuration = client
      .discovery(new URL(issuer), clientId, metadata, undefined, options)
      .catch((error: unknown) => {
        known = undefined
        throw new ProviderUnavailable('the metadata of the identity provider is unavailable', { cause: error })
      })
    known = { configuration, until: performance.now() + METADATA_MS }
    return configuration
  }

  /** Fetches the user info where the ID token lacks the role claim. */
  async function claimsOf(configuration: client.Configuration, tokens: Tokens, idToken: client.IDToken) {
    if (claimAt(idToken, roleClaim) !== undefined || !configuration.serverMetadata().userinfo_endpoint) return idToken
    return { ...(await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub)), ...idToken }
  }

  return {
    issuer,

    async begin() {
      const configuration = await discover()
      const state = client.randomState()
      const nonce = client.randomNonce()
      const verifier = client.randomPKCECodeVerifier()
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl,
        scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(requiredAcr.length > 0 && { acr_values: requiredAcr.join(' ') }),
      })
      return { url: url.href, flow: { state, nonce, verifier } }
    },

    async finish(returnedUrl, { state, nonce, verifier }): Promise<Identity> {
      const configuration = await discover()
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
        const tokens = await client.authorizationCodeGrant(configuration, returnedUrl, checks)
        const claims = tokens.claims()
        if (!claims || !tokens.id_token) throw new LoginFailed('there is no ID token')
        checkParties(claims, clientId)
        // Only what is signed counts: providers need not act on `acr_values`.
        if (requiredAcr.length > 0 && !requiredAcr.some((acr) => acr === claims['acr'])) throw new LoginTooWeak()
        const allClaims = await claimsOf(configuration, tokens, claims)
        return { subject: claims.sub, claims: allClaims, idToken: tokens.id_token }
      } catch (error) {
        if (error instanceof LoginTooWeak) throw error
        throw isUnproven(error)
          ? new LoginFailed('nothing proves who logged in', { cause: error })
          : new ProviderUnavailable('the identity provider failed', { cause: error })
      }
    },

    async logOutUrl(idToken, returnUrl) {
      const configuration = await discover()
      if (!configuration.serverMetadata().end_session_endpoint) return null
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnUrl }
      return client.buildEndSessionUrl(configuration, parameters).href
    },
  }
}

/** Checks what the library does not: that somebody is named, and that a token with one audience was asked for by us. */
function checkParties({ sub, azp }: client.IDToken, clientId: string): void {
  if (sub === '') throw new LoginFailed('the ID token names nobody')
  if (azp !== undefined && azp !== clientId) throw new LoginFailed('the ID token was issued to another program')
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

function isUnproven(error: unknown): boolean {
  // The authorization code is invalid or used.
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant'
  return error instanceof LoginFailed || UNPROVEN_CODES.has(String((error as { code?: unknown }).code))
}
