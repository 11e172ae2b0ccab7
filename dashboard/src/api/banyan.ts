import { AuthenticationError, Banyan } from '@banyan/client'
import { Connection } from '@banyan/client/operations'
import { isInUse } from './activity.ts'
import { isPurposeMissing, purposeGate, statedPurpose } from './purposes.ts'
import { notifyLogOut, sessionEnd } from './session-end.ts'

/** Says which requests nobody has asked for. */
const fetchByUse: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  if (!isInUse()) headers.set('session-use', 'none')
  return fetch(input, { ...init, headers, redirect: 'error' })
}

const SETTINGS = {
  baseUrl: location.origin,
  session: true,
  timeout: 30_000,
  maxRetries: 2,
  fetch: fetchByUse,
} as const

/**
 * Sends a call again, with the same key, when the session had ended and the person has logged in again, or when the
 * installation requires a purpose and the person has stated it.
 */
class SessionConnection extends Connection {
  override async call<Result>(
    ...[operation, call, options]: Parameters<typeof Connection.prototype.call<object, Result>>
  ): Promise<Result> {
    const idempotencyKey = options?.idempotencyKey ?? crypto.randomUUID()
    for (;;) {
      try {
        const purpose = options?.purpose ?? statedPurpose()
        return await super.call(operation, call, { ...options, purpose, idempotencyKey })
      } catch (error) {
        if (error instanceof AuthenticationError) await sessionEnd.wait()
        else if (isPurposeMissing(error)) await purposeGate.wait()
        else throw error
      }
    }
  }
}

/** For an operation whose response is passed on as the service wrote it. */
export const connection = new SessionConnection(SETTINGS)

/** The service, for the person who is logged in. */
export const banyan = new Banyan(connection)

/** For the question whether somebody is logged in, which may be nobody. */
const signedOutCalls = new Banyan(SETTINGS)

export const readSession = (signal?: AbortSignal) => signedOutCalls.administrators.readSession({ signal })

/** Sends files. A session cookie is accepted with JSON only, so these go with an access token, which stays in memory. */
export const uploads = banyan.as({
  accessToken: async () => (await banyan.administrators.createSessionToken()).access_token,
})

const loginUrl = (page: string) => `/v1/auth/oidc/login?return_to=${encodeURIComponent(page)}`

/** The page that a new tab shows after the login. */
export const LOGGED_IN_PATH = '/logged-in'

export const loginUrls = {
  /** Comes back to the page that was wanted. */
  here: () => loginUrl(location.pathname + location.search),
  inNewTab: loginUrl(`/dashboard${LOGGED_IN_PATH}`),
}

/** Ends the session here and at the identity provider, which leads back. */
export async function logOut(): Promise<void> {
  const { end_session_url } = await signedOutCalls.administrators.logOut({ return_to: '/dashboard' })
  sessionStorage.clear()
  notifyLogOut()
  location.assign(end_session_url ?? '/dashboard')
}
