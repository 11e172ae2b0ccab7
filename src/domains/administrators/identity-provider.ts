/** What the browser must bring back for a login that was begun. */
export type Flow = {
  state: string
  nonce: string
  /** Of PKCE: only who has it can use the code. */
  verifier: string
}

/** Who has logged in, as the identity provider says. */
export type Identity = {
  /** Unique at the provider, and never given to another person. */
  subject: string
  /** All that it tells of the person. */
  claims: Readonly<Record<string, unknown>>
  idToken: string
}

/** The company that knows the administrators, by OpenID Connect. Each function throws `ProviderAway` when it cannot be reached. */
export type IdentityProvider = {
  issuer: string
  /** Begins a login; the browser goes to `url`. */
  begin(): Promise<{ url: string; flow: Flow }>
  /** Ends the login whose browser came back to an address. Throws `LoginFailed` when that does not prove who it is. */
  finish(callbackUrl: URL, flow: Flow): Promise<Identity>
  /** Where the browser goes to be logged out there as well, and comes back from; null where there is no such address. */
  logOutUrl(idToken: string, returnUrl: string): Promise<string | null>
}

/** What came back does not prove that anybody has logged in. The cause is for the log. */
export class LoginFailed extends Error {}

/** The provider cannot be reached, or does not do its part. The cause is for the log. */
export class ProviderAway extends Error {}
