import { ProblemError, unavailable } from '../../kernel/problem-error.ts'
import { LoginFailed, ProviderAway } from './identity-provider.ts'

/** The refusal of whoever comes back from the identity provider without a proof of who it is. */
export const loginFailed = (detail: string, cause?: unknown) => new ProblemError('login_failed', detail, { cause })

export const noIdentityProvider = () =>
  new ProblemError(
    'not_found',
    'This installation has no identity provider: OIDC_ISSUER is not set. Use `banyan token` on the host instead.',
  )

export const noRole = () =>
  new ProblemError('forbidden', 'The identity provider assigns you no role here. Ask its administrator for one.')

/** Says of a call to the identity provider what the person may know; what it was is for the log. */
export async function told<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (error instanceof LoginFailed) {
      throw loginFailed(
        'The response of the identity provider could not be verified. Log in again.',
        error.cause ?? error,
      )
    }
    throw error instanceof ProviderAway ? unavailable(error.cause ?? error) : error
  })
}
