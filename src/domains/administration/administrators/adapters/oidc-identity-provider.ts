import * as client from 'openid-client'
import type { OidcSettings } from '../../../../settings/read-oidc.ts'
import { systemClock, unixSeconds } from '../../../../kernel/clock.ts'
import { claimAt } from '../claim-at.ts'
import { nameIn } from '../name-in.ts'
import {
  ClientRejected,
  type Identity,
  type IdentityProvider,
  LoginFailed,
  LoginTooWeak,
  ProviderUnavailable,
} from '../identity-provider.ts'
import {
  CLOCK_TOLERANCE_SECONDS,
  createOidcClient,
  createRedeemer,
  readOauthError,
  type Redeemed,
} from '../create-oidc-client.ts'

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

/** Errors of OAuth that mean an outage. */
const OUTAGE = /^(server_error|temporarily_unavailable)$/

export type OidcIdentityProviderSettings = Omit<OidcSettings, 'roles'> & { callbackUrl: string }

/** By OpenID Connect: authorization code, PKCE, state, nonce, and verified signatures of ID tokens. */
export function createOidcIdentityProvider(settings: OidcIdentityProviderSettings): IdentityProvider {
  const { issuer, clientId, scope, roleClaim, requiredAcr, callbackUrl } = settings
  const ourClient = createOidcClient(settings)
  const { discover, configurationOf } = ourClient
  const redeem = createRedeemer(ourClient)
  return {
    issuer,

    async begin() {
      const configuration = configurationOf(await discover())
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
      const metadata = await discover()
      try {
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier }
        const redeemed = await redeem(metadata, (author) => client.authorizationCodeGrant(author, returnedUrl, checks))
        const { tokens } = redeemed
        const claims = tokens.claims()
        if (!claims || !tokens.id_token) throw new LoginFailed('there is no ID token')
        checkParties(claims, clientId)
        // Only what is signed counts: providers need not act on `acr_values`.
        if (requiredAcr.length > 0 && !requiredAcr.some((acr) => acr === claims['acr'])) throw new LoginTooWeak()
        const allClaims = await readClaims(redeemed, claims, roleClaim)
        return { subject: claims.sub, claims: allClaims, idToken: tokens.id_token }
      } catch (error) {
        if (error instanceof LoginTooWeak) throw error
        throw toPublicError(error)
      }
    },

    async logOutUrl(idToken, returnUrl) {
      const configuration = configurationOf(await discover())
      if (!configuration.serverMetadata().end_session_endpoint) return null
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnUrl }
      return client.buildEndSessionUrl(configuration, parameters).href
    },
  }
}

/**
 * Checks what the library does not: that somebody is named, that a token with one audience was asked for by us, and that it
 * is not of the future.
 */
function checkParties({ sub, azp, iat }: client.IDToken, clientId: string): void {
  if (sub === '') throw new LoginFailed('the ID token names nobody')
  if (azp !== undefined && azp !== clientId) throw new LoginFailed('the ID token was issued to another program')
  if (iat > unixSeconds(systemClock) + CLOCK_TOLERANCE_SECONDS) throw new LoginFailed('the ID token is of the future')
}

/** Fetches the user info where the ID token lacks the role claim, or the name of the person. */
async function readClaims({ configuration, tokens }: Redeemed, idToken: client.IDToken, roleClaim: string) {
  const hasRole = claimAt(idToken, roleClaim) !== undefined
  const isEnough = hasRole && nameIn(idToken) !== null
  if (isEnough || !configuration.serverMetadata().userinfo_endpoint) return idToken
  const more = client.fetchUserInfo(configuration, tokens.access_token, idToken.sub)
  return { ...(await (hasRole ? more.catch(() => ({})) : more)), ...idToken }
}

function toPublicError(error: unknown): Error {
  const oauthError = readOauthError(error)
  const isAboutCode = oauthError === 'invalid_grant'
  if (isAboutCode || error instanceof LoginFailed || UNPROVEN_CODES.has(String((error as { code?: unknown }).code)))
    return new LoginFailed(`nothing proves who logged in${oauthError ? `: ${oauthError}` : ''}`, { cause: error })
  if (oauthError !== undefined && !OUTAGE.test(oauthError)) return new ClientRejected(oauthError, { cause: error })
  return new ProviderUnavailable('the identity provider failed', { cause: error })
}
