/** What a call of an operation takes. */
export type CallShape = { path?: Record<string, string>; query?: object | undefined; body?: unknown }

/** An operation of the API: what the client has to know at run time, and the types of its call and result. */
export type Operation<Call extends CallShape = CallShape, Result = unknown, Item = unknown> = {
  readonly id: string
  readonly method: string
  readonly path: string
  /** How it authenticates; a bearer token unless stated. */
  readonly auth?: 'bearer' | 'basic' | 'wallet_bearer' | 'admin_key' | 'signature' | 'session' | 'none'
  /** It takes an idempotency key, so it can be repeated. */
  readonly keyed?: true
  /** An amount in its body is in rupees, with its currency, and not in paise as those of wallets are. */
  readonly inRupees?: true
  /** It can be repeated without one, because a repetition changes nothing. */
  readonly repeatable?: true
  /** A file instead of JSON; a `content-type` among the headers of the call says what else it is than CSV. */
  readonly sends?: 'pdf' | 'csv'
  /** `json`: the JSON as the service wrote it, for a program that passes it on: times as text, amounts as numbers. */
  readonly returns?: 'json' | 'pdf' | 'csv' | 'nothing' | 'redirect'
  /** Where the entries of a list are, if not in `data`. */
  readonly items?: string
  /** Types only; never set. */
  readonly types?: { call: Call; result: Result; item: Item }
}

export type ReadOptions = {
  signal?: AbortSignal | undefined
  /** Milliseconds for the whole call, with its repetitions. */
  timeout?: number | undefined
  /** Why personal data is accessed; it stands in the audit, and the person can read it. */
  purpose?: string | undefined
  headers?: Record<string, string> | undefined
}

export type WriteOptions = ReadOptions & {
  /** The key of this call, if you keep one to repeat it after a restart. Otherwise each call gets its own. */
  idempotencyKey?: string | undefined
  /** Members that the service does not know are an error. */
  strict?: boolean | undefined
}

/** An `ETag`, or a record that this client has read. */
export type Version = string | object

export type IfMatch = {
  /** Only if the record still has this version; otherwise a `PreconditionFailedError`. */
  ifMatch?: Version | undefined
}

export type IfNoneMatch = {
  /** If the record still has this version, the result is `notModified`. */
  ifNoneMatch: Version
}

/** The result of a read with `ifNoneMatch` when nothing has changed. */
export const notModified: unique symbol = Symbol('not modified')
export type NotModified = typeof notModified

/** A PDF document, or a CSV. Read `body` as it arrives, or take all `bytes`; do one of them, or `body.cancel()`. */
export type DocumentStream = {
  readonly body: ReadableStream<Uint8Array>
  /** For `ifNoneMatch`. */
  readonly etag: string | undefined
  readonly filename: string | undefined
  bytes(): Promise<Uint8Array>
}

/** The result of a call whose response has no body: an object without members, for `responseOf`. */
export type Done = Readonly<Record<string, never>>

/** Where a browser is sent next, with the cookies for it. */
export type Redirect = { readonly location: string; readonly setCookie: readonly string[] }
