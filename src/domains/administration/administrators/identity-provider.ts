/** The state of a login that the browser must bring back. */
export type Flow = {
  state: string
  nonce: string
  /** The PKCE verifier, without which the code cannot be used. */
  verifier: string
}

export type Identity = {
  /** Unique at the provider, and never reassigned. */
  subject: string
  /** All claims about the person. */
  claims: Readonly<Record<string, unknown>>
  idToken: string
}

/**
 * The identity provider of the administrators, by OpenID Connect. Every function throws `ProviderUnavailable` when it
 * cannot be reached.
 */
export type IdentityProvider = {
  issuer: string
  /** Begins a login; the browser is sent to `url`. */
  begin(): Promise<{ url: string; flow: Flow }>
  /**
   * Finishes a login with the URL the browser returned to. Throws `LoginFailed` when it does not prove who logged in,
   * `LoginTooWeak` when the provider did not authenticate the person as strongly as is required, `ClientRejected` when it
   * does not accept us.
   */
  finish(callbackUrl: URL, flow: Flow): Promise<Identity>
  /** Returns the URL at which the browser logs out there too and then returns; null when there is none. */
  logOutUrl(idToken: string, returnUrl: string): Promise<string | null>
}

/** The response does not prove a login. The cause is only logged. */
export class LoginFailed extends Error {}

/** The person is proven, but not by an authentication of the required strength. */
export class LoginTooWeak extends Error {}

/** The provider rejects this installation by an error of OAuth, such as `invalid_client`: its settings are wrong. */
export class ClientRejected extends Error {
  readonly oauthError: string
  constructor(oauthError: string, options: ErrorOptions) {
    super(`the identity provider responded ${oauthError}`, options)
    this.oauthError = oauthError
  }
}

/** The provider cannot be reached or fails. The cause is only logged. */
export class ProviderUnavailable extends Error {}
