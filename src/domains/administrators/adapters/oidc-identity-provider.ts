import * as client from 'openid-client'
import type { OidcSettings } from '../../../access/oidc-settings.ts'
import { claimAt } from '../claim-at.ts'
import { type Flow, type Identity, type IdentityProvider, LoginFailed, ProviderAway } from '../identity-provider.ts'

const TIMEOUT_SECONDS = 5
/** By so much our clock and the provider's may differ. */
const CLOCK_TOLERANCE_SECONDS = 30
/** Its addresses change as good as never. */
const METADATA_MS = 60 * 60_000

/** What the library calls a response that does not prove who logged in, rather than a provider that is not there. */
const NO_PROOF = new Set([
  'OAUTH_AUTHORIZATION_RESPONSE_ERROR',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
])

type Settings = Omit<OidcSettings, 'roles'> & { callbackUrl: string }

/** An identity provider that speaks OpenID Connect: authorization code, PKCE, state, nonce, and ID tokens whose signature is checked. */
export function openOidcIdentityProvider(settings: Settings): IdentityProvider {
  const { issuer, clientId, clientSecret, scope, roleClaim, callbackUrl } = settings
  let known: { configuration: Promise<client.Configuration>; until: number } | undefined

  /** What the provider says of itself; asked for again after an hour, and after a failure. */
  function discovered(): Promise<client.Configuration> {
    if (known && performance.now() < known.until) return known.configuration
    const execute = [client.enableNonRepudiationChecks]
    if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests) // never in production
    const metadata = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS }
    const configuration = client
      .discovery(new URL(issuer), clientId, metadata, undefined, { execute, timeout: TIMEOUT_SECONDS })
      .catch((error: unknown) => {
        known = undefined
        throw new ProviderAway('the identity provider says nothing of itself', { cause: error })
      })
    known = { configuration, until: performance.now() + METADATA_MS }
    return configuration
  }

  /** Where the ID token does not say what somebody may do, the provider is asked for more. */
  async function claimsOf(configuration: client.Configuration, tokens: Tokens, idToken: client.IDToken) {
    if (claimAt(idToken, roleClaim) !== undefined || !configuration.serverMetadata().userinfo_endpoint) return idToken
    return { ...(await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub)), ...idToken }
  }

  return {
    issuer,

    async begin() {
      const configuration = await discovered()
      const flow: Flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl,
        scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, flow }
    },

    async finish(cameBackTo, { state, nonce, verifier }): Promise<Identity> {
      const configuration = await discovered()
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
        const tokens = await client.authorizationCodeGrant(configuration, cameBackTo, checks)
        const claims = tokens.claims()
        if (!claims || !tokens.id_token) throw new LoginFailed('there is no ID token')
        return {
          subject: claims.sub,
          claims: await claimsOf(configuration, tokens, claims),
          idToken: tokens.id_token,
        }
      } catch (error) {
        throw isNoProof(error)
          ? new LoginFailed('nothing proves who logged in', { cause: error })
          : new ProviderAway('the identity provider did not do its part', { cause: error })
      }
    },

    async logOutUrl(idToken, returnUrl) {
      const configuration = await discovered()
      if (!configuration.serverMetadata().end_session_endpoint) return null
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnUrl }
      return client.buildEndSessionUrl(configuration, parameters).href
    },
  }
}

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>

function isNoProof(error: unknown): boolean {
  // The code is not (any more) one that can be exchanged.
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant'
  return error instanceof LoginFailed || NO_PROOF.has(String((error as { code?: unknown }).code))
}
