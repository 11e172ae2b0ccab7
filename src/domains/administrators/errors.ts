import { ProblemError, unavailable } from '../../kernel/problem-error.ts'
import { LoginFailed, ProviderAway } from './identity-provider.ts'

/** The refusal of whoever comes back from the identity provider without a proof of who it is. */
export const loginFailed = (detail: string, cause?: unknown) => new ProblemError('login_failed', detail, { cause })

export const noIdentityProvider = () =>
  new ProblemError(
    'not_found',
    'This installation has no identity provider: OIDC_ISSUER is not set. On the host, `banyan token` makes an access token.',
  )

export const noRole = () =>
  new ProblemError(
    'forbidden',
    'The identity provider gives you no role here. Ask whoever runs it to add you to a group that has one.',
  )

/** Says of a call to the identity provider what the person may know; what it was is for the log. */
export async function told<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    if (error instanceof LoginFailed) {
      throw loginFailed(
        'What came back from the identity provider does not prove who you are. Log in again.',
        error.cause ?? error,
      )
    }
    throw error instanceof ProviderAway ? unavailable(error.cause ?? error) : error
  })
}
