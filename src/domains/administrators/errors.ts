import { ProblemError, unavailable } from '../../kernel/problem-error.ts'
import { LoginFailed, ProviderUnavailable } from './identity-provider.ts'

/** Creates the 400 of a browser that returns from the identity provider without proof of a login. */
export const loginFailed = (detail: string, cause?: unknown) => new ProblemError('login_failed', detail, { cause })

export const noIdentityProvider = () =>
  new ProblemError(
    'not_found',
    'This installation has no identity provider: OIDC_ISSUER is not set. Use `banyan token` on the host instead.',
  )

export const noRole = () =>
  new ProblemError('forbidden', 'The identity provider assigns you no role here. Ask its administrator for one.')

/** Converts errors of the identity provider to public ones; the cause is only logged. */
export async function withPublicErrors<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (error instanceof LoginFailed) {
      throw loginFailed(
        'The response of the identity provider could not be verified. Log in again.',
        error.cause ?? error,
      )
    }
    throw error instanceof ProviderUnavailable ? unavailable(error.cause ?? error) : error
  })
}
