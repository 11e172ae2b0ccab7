import { forbidden, ProblemError, unavailable } from '../../../kernel/problem-error.ts'
import { ClientRejected, LoginFailed, LoginTooWeak, ProviderUnavailable } from './identity-provider.ts'

/** Creates the 400 of a browser that returns from the identity provider without proof of a login. */
export const loginFailed = (detail: string, cause?: unknown) => new ProblemError('login_failed', detail, { cause })

export const noIdentityProvider = () =>
  new ProblemError(
    'not_found',
    'This installation has no identity provider: OIDC_ISSUER is not set. Use `banyan token` on the host instead.',
  )

export const noRole = () => forbidden('The identity provider assigns you no role here. Ask its administrator for one.')

const tooWeak = () =>
  forbidden(
    'The identity provider did not authenticate you as strongly as this installation requires (OIDC_REQUIRED_ACR). Log out there, and log in again with all factors it asks for.',
  )

const clientRejected = (error: ClientRejected) =>
  loginFailed(
    `The identity provider rejects this installation (${error.oauthError}), so nobody can log in. Its operator has to check OIDC_CLIENT_ID, OIDC_CLIENT_SECRET and how it is registered there.`,
    error,
  )

/** Converts errors of the identity provider to public ones; the cause is only logged. */
export async function withPublicErrors<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (error instanceof LoginFailed) {
      throw loginFailed('The response of the identity provider could not be verified. Log in again.', error)
    }
    if (error instanceof ClientRejected) throw clientRejected(error)
    if (error instanceof LoginTooWeak) throw tooWeak()
    throw error instanceof ProviderUnavailable ? unavailable(error.cause ?? error) : error
  })
}
