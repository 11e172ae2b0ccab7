/** Returns an access token; called for each request. `refused`: the one that has just been refused with a 401. */
export type TokenSource = (refused?: string) => string | Promise<string>

export type Settings = Credentials & Behaviour

/** What proves who calls. A `basicToken` is a secret of a server; in a browser use the access token of a user. */
export type Credentials = {
  /** Of a platform or a benefit provider. It is exchanged for access tokens, which are renewed ahead of their end. */
  basicToken?: string | undefined
  /** Of a user or an administrator. */
  accessToken?: string | TokenSource | undefined
  /** Of a wallet user. `banyan.wallet.signIn` gives a session that renews it. */
  walletToken?: string | TokenSource | undefined
  /** For account providers. */
  adminApiKey?: string | undefined
  /** True in a page of the installation itself, where an administrator is logged in by cookie. */
  session?: boolean | undefined
  /** Signs the events that a wallet operator reports, by the text of the body. */
  operatorSignature?: ((body: string) => string | Promise<string>) | undefined
}

export type Behaviour = {
  /** The origin of the service, with or without `/v1`. */
  baseUrl?: string | undefined
  /** The address of the wallet operations, if it is not `/wallet/v1` of the same origin. */
  walletBaseUrl?: string | undefined
  /** Milliseconds for a call with all its repetitions; 60,000 unless set. */
  timeout?: number | undefined
  /** Milliseconds for one attempt; 20,000 unless set. */
  attemptTimeout?: number | undefined
  /** How often a failed attempt is repeated; 4 times unless set. */
  maxRetries?: number | undefined
  /** The program that calls, such as `acme-benefits/2.1`; it stands before the client's own name in `user-agent`. */
  userAgent?: string | undefined
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Called before each attempt; may return headers to add, such as `traceparent`. Errors in it are ignored. */
  onRequest?: ((request: RequestReport) => Record<string, string> | void) | undefined
  /** Called after each attempt. Errors in it are ignored. */
  onResponse?: ((response: ResponseReport) => void) | undefined
}

/** What hooks see: no ids, no bodies, no headers, so nothing secret or personal reaches a log. */
export type RequestReport = {
  operation: string
  method: string
  /** The path with the names of its parameters, not their values. */
  path: string
  /** From 1. */
  attempt: number
}

export type ResponseReport = RequestReport & {
  /** Absent when no response came. */
  status?: number | undefined
  requestId?: string | undefined
  durationMs: number
  /** The name and code of the error. */
  error?: string | undefined
  /** Set when the attempt is repeated. */
  retryInMs?: number | undefined
}
