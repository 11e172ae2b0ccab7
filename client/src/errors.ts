import type { FieldError, Problem } from './generated/schemas.ts'

/** Every error of the client. `code` is stable; `message` is for people and holds no personal data. */
export class BanyanError extends Error {
  /** The stable code of the problem, or `connection_lost`, `timeout`, `unreadable`, `redirected`. */
  readonly code: string = 'error'
  /** The key of a write whose outcome is unknown: repeat the call with it, and nothing is done twice. */
  idempotencyKey?: string | undefined
  /** Written out in each class, because a minifier renames classes. */
  override readonly name: string = 'BanyanError'
}

/** No response, after every attempt. The outcome of a write is unknown. */
export class ConnectionError extends BanyanError {
  override readonly name: string = 'ConnectionError'
  override readonly code = 'connection_lost'
}

/** The call took longer than its `timeout`, or the service asked to wait longer. The outcome of a write is unknown. */
export class TimeoutError extends BanyanError {
  override readonly name: string = 'TimeoutError'
  override readonly code = 'timeout'
}

/**
 * A response came, and it is none of the service: a page of a proxy or a captive portal, no content, an amount that is no
 * whole number of paise. Check `baseUrl`. It is not repeated; the outcome of a write is unknown.
 */
export class UnreadableError extends BanyanError {
  override readonly name: string = 'UnreadableError'
  override readonly code = 'unreadable'
  readonly status: number | undefined
  readonly requestId: string | undefined

  constructor(
    what: string,
    { status, requestId }: { status?: number; requestId?: string | undefined } = {},
    cause?: unknown,
  ) {
    super(`The response${status === undefined ? '' : ` (${status})`} is not of this service: ${what}. Check baseUrl`, {
      cause,
    })
    this.status = status
    this.requestId = requestId
  }
}

/**
 * The address that was called leads elsewhere. Nothing was followed, because the credentials and the body would have gone there, too; the
 * service itself redirects no call. Set `baseUrl` to the address of the service.
 */
export class RedirectError extends BanyanError {
  override readonly name: string = 'RedirectError'
  override readonly code = 'redirected'
  /** The other address; undefined in a browser, which hides it. */
  readonly location: string | undefined

  constructor({ location, url }: { location: string | null; url: string }) {
    const origin = location === null ? undefined : originOf(location, url)
    super(
      `${originOf(url)} redirects ${origin === undefined ? 'elsewhere' : `to ${origin}`}, which was not followed. Check baseUrl`,
    )
    this.location = location ?? undefined
  }
}

/** Of an address that may be relative; without path and query, which may hold ids. */
const originOf = (address: string, base?: string): string => {
  try {
    return new URL(address, base).origin
  } catch {
    return 'an address that is none'
  }
}

/** A response that is an error: RFC 9457. The classes below say which. */
export class ResponseError extends BanyanError {
  override readonly name: string = 'ResponseError'
  readonly status: number
  override readonly code: string
  /** For the operators: it finds the request in their log. */
  readonly requestId: string | undefined
  /** The response as it came, with members that this class does not know. */
  readonly problem: Partial<Problem>

  constructor(status: number, problem: Partial<Problem>, requestId: string | undefined) {
    super(
      `${status} ${problem.code ?? 'error'}: ${problem.detail ?? problem.title ?? 'the response has no details. Check baseUrl'}`,
    )
    this.status = status
    this.code = problem.code ?? 'error'
    this.requestId = problem.request_id ?? requestId
    this.problem = problem
  }
}

/** 401: no token, or one that is expired, revoked or not of this service. */
export class AuthenticationError extends ResponseError {
  override readonly name: string = 'AuthenticationError'
}

/** 403: the caller is known and may not do this. */
export class PermissionError extends ResponseError {
  override readonly name: string = 'PermissionError'
}

/** 404: there is no such record, or it is somebody else's. */
export class NotFoundError extends ResponseError {
  override readonly name: string = 'NotFoundError'
}

/** 409 `conflict`: `reason` says with what. */
export class ConflictError extends ResponseError {
  override readonly name: string = 'ConflictError'
  readonly reason = this.problem.reason
  /** For `already_exists`: the records in the way, if the caller may know them. */
  readonly existingIds: readonly string[] = this.problem.existing_ids ?? []
}

/** 409 `invalid_state`: the record is in another state than this needs. */
export class InvalidStateError extends ResponseError {
  override readonly name: string = 'InvalidStateError'
  readonly currentState = this.problem.current_state
  /** The states that this caller can set now. */
  readonly allowedTransitions = this.problem.allowed_transitions ?? []
}

/** 412: the record has changed since it was read. */
export class PreconditionFailedError extends ResponseError {
  override readonly name: string = 'PreconditionFailedError'
}

/** 422: `fieldErrors` has one entry for each error, all at once. */
export class ValidationError extends ResponseError {
  override readonly name: string = 'ValidationError'
  readonly fieldErrors: readonly FieldError[] = this.problem.errors ?? []
}

/** 429: a limit, after every attempt that it allowed. */
export class RateLimitError extends ResponseError {
  override readonly name: string = 'RateLimitError'
  /** When the next attempt is allowed. */
  retryAfterMs?: number | undefined
}

/** 502, 503, 504, after every attempt: the service is busy or starting. */
export class UnavailableError extends ResponseError {
  override readonly name: string = 'UnavailableError'
  retryAfterMs?: number | undefined
}

const CLASSES: Record<number, typeof ResponseError> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
}

/** Returns the error for a response that is one. `text`: its body, which a proxy may have written. */
export function errorOf({ status, headers }: Response, text: string): ResponseError {
  const problem = problemIn(text)
  const kind = problem.code === 'invalid_state' ? InvalidStateError : (CLASSES[status] ?? ResponseError)
  return new kind(status, problem, headers.get('x-request-id') ?? undefined)
}

function problemIn(text: string): Partial<Problem> {
  try {
    const problem: unknown = JSON.parse(text)
    return typeof problem === 'object' && problem !== null ? problem : {}
  } catch {
    return {}
  }
}

/** The service could not be reached, or could not respond: those who wait for something wait on. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ResponseError
    ? error.status === 429 || error.status >= 500
    : error instanceof ConnectionError || error instanceof TimeoutError
