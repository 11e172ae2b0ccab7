import { FIELD_ERROR_CODES, type FieldErrorCode } from './field-error-codes.ts'

/** One error in the caller's input: its location, a stable code and a sentence. Never includes the value. */
export type FieldError = { pointer: string; code: FieldErrorCode; detail: string }

type ProblemKind = {
  status: number
  title: string
  meaning: string
  /** How the caller can fix it. */
  remedy: string
  /** Example members of the response, besides those of every problem. */
  example: { detail: string; [member: string]: unknown }
}

/** Every problem code. The page that a problem's `type` points to is generated from this table. */
export const PROBLEMS = {
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    meaning:
      'The request line, a header or the URL is malformed. At the token endpoint also: the form is invalid, and `error` says why (RFC 6749, 5.2).',
    remedy: 'Send a valid HTTP/1.1 request as `detail` says.',
    example: { detail: 'The Host header is missing.' },
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    meaning:
      'The body is not one JSON object in UTF-8, repeats a key, is nested deeper than 32 levels, or contains a number that cannot be represented exactly. `detail` gives the byte offset, counted from 0.',
    remedy: 'Fix the body at that byte; use a JSON library to write it.',
    example: { detail: 'Repeated key in an object at byte 17.' },
  },
  login_failed: {
    status: 400,
    title: 'Login failed',
    meaning:
      'The login could not be verified: it was not started in this browser, took longer than ten minutes, was already completed, or was refused by the identity provider.',
    remedy: 'Log in again at `/v1/auth/oidc/login`.',
    example: { detail: 'No login was started in this browser within the last ten minutes. Log in again.' },
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    meaning: 'The credential is missing, invalid or no longer valid.',
    remedy:
      'Send a valid credential in the `Authorization` header, or in `admin-api-key` where the operation requires it.',
    example: { detail: 'An access token is required. Send it as Authorization: Bearer <token>.' },
  },
  token_expired: {
    status: 401,
    title: 'Token expired',
    meaning: 'The access token has expired.',
    remedy: 'Get a new token and repeat the request.',
    example: { detail: 'The access token has expired.' },
  },
  invalid_refresh_token: {
    status: 401,
    title: 'Invalid refresh token',
    meaning: 'The refresh token is unknown, already used or expired, or its session has ended.',
    remedy: 'Let the user sign in again with a one-time code.',
    example: { detail: 'The refresh token is invalid.' },
  },
  otp_invalid: {
    status: 401,
    title: 'Invalid code',
    meaning: 'The one-time code is wrong, already used or expired, or had too many wrong attempts.',
    remedy: 'Request a new code with `POST /wallet/v1/auth/otp`.',
    example: { detail: 'The code is invalid.' },
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    meaning:
      'The credential is valid, but its role may not call this operation, or it may not be used from this network address.',
    remedy: 'Use a credential with a role listed under “Who may call”, from a network in its `ip_allow_list`.',
    example: { detail: 'Your role may not call this operation.' },
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'The URL or the record does not exist, or the record is not yours; the response does not say which.',
    remedy: 'Check the URL and the ids in it, and whether the record belongs to the caller.',
    example: { detail: 'Not found, or not yours.' },
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The URL does not support this method.',
    remedy: 'Use one of the methods listed in `Allow`.',
    example: { detail: 'This URL supports only the methods listed in Allow.' },
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    meaning: 'None of the media types in `Accept` can be produced.',
    remedy: 'Accept a media type listed in `detail`, or omit `Accept`.',
    example: { detail: 'Supported response types: application/json.' },
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The request did not arrive completely within 15 seconds, or its headers within 8.',
    remedy: 'Send it again, over a faster connection or in smaller parts.',
    example: { detail: 'The request took too long to arrive.' },
  },
  invalid_state: {
    status: 409,
    title: 'Invalid state transition',
    meaning: 'The current state does not allow this transition.',
    remedy: 'Choose one of `allowed_transitions`; `current_state` is the state now.',
    example: {
      detail: 'The state is PENDING. You can change it to VERIFICATION or REJECTED.',
      current_state: 'PENDING',
      allowed_transitions: ['VERIFICATION', 'REJECTED'],
    },
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning: 'The request conflicts with existing data; `reason` says how.',
    remedy: 'See the entry for the `reason` at `/docs/errors#reasons`.',
    example: { detail: 'A booking with this reference already exists.', reason: 'reference_used' },
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Request in progress',
    meaning: 'The first request with this `Idempotency-Key` is still in progress.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
    example: { detail: 'The first request with this Idempotency-Key is still in progress. Try again later.' },
  },
  precondition_failed: {
    status: 412,
    title: 'Changed in the meantime',
    meaning: 'The record has changed since the version named in `If-Match`.',
    remedy: 'Read the record again, and repeat the change with its new `ETag`.',
    example: { detail: 'The record has changed since you read it. Read it again.' },
  },
  payload_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'The body exceeds the limit: 256 KiB for JSON, 10 MiB for uploads.',
    remedy: 'Send a smaller body.',
    example: { detail: 'The body is too large. JSON bodies have at most 256 KiB.' },
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The operation does not support the media type, charset or encoding of the body.',
    remedy: 'Send a media type that the operation lists, in UTF-8 and uncompressed.',
    example: { detail: 'Send the body as application/json, and name that media type in Content-Type.' },
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation failed',
    meaning: 'The `Expect` header contains something other than `100-continue`.',
    remedy: 'Remove the header.',
    example: { detail: 'The only supported expectation is 100-continue.' },
  },
  validation_failed: {
    status: 422,
    title: 'Invalid input',
    meaning: 'The input is invalid; `errors` has one entry for each error.',
    remedy: 'Fix each error as its `detail` says, and send the request again.',
    example: {
      detail: 'The input has one error.',
      errors: [{ code: 'format', ...FIELD_ERROR_CODES.format.example }],
    },
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'This `Idempotency-Key` was used with a different request.',
    remedy: 'Send a new key with each new request.',
    example: {
      detail: 'This Idempotency-Key was used with a different request. Send a new key with each new request.',
    },
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'The rate limit is exceeded; nothing was done.',
    remedy: 'Repeat the request after `Retry-After` seconds.',
    example: { detail: 'Too many requests. Try again after the time in Retry-After.' },
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The URL and the headers exceed 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
    example: { detail: 'The URL and the headers are too large.' },
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed. For a write, the outcome is unknown.',
    remedy: 'Try again; if the error persists, report it with its `request_id`.',
    example: { detail: 'An internal error occurred.' },
  },
  unreadable: {
    status: 500,
    title: 'Record unreadable',
    meaning: 'A part of the stored record cannot be decrypted. Nothing was changed, and the operators are alerted.',
    remedy: 'Report it with its `request_id`. Lists and exports still show the other records.',
    example: { detail: 'The record is stored, but a part of it cannot be read.' },
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    meaning: 'The service is temporarily unavailable.',
    remedy:
      'Repeat the request after `Retry-After` seconds, with an `Idempotency-Key` if it must not be applied twice.',
    example: { detail: 'The service is temporarily unavailable. Try again.' },
  },
} as const satisfies Record<string, ProblemKind>

export type ProblemCode = keyof typeof PROBLEMS

/** The `reason` of every 409 `conflict`, for programs to branch on. */
export const CONFLICT_REASONS = {
  insufficient_balance: 'The balance is lower than the amount.',
  reference_used: 'A booking with this reference already exists.',
  already_exists: 'A conflicting record already exists; `existing_ids` names it where the caller may know it.',
  limit_reached: 'The maximum number is reached.',
  in_use: 'Open records still use it.',
  archived: 'It is archived and cannot be used any more.',
  inactive: 'Something that the request depends on is not active.',
  term_over: 'The term and its grace period are over.',
  different_content: 'It was already done with different content.',
} as const

type ConflictMembers =
  | { reason: Exclude<keyof typeof CONFLICT_REASONS, 'already_exists'> }
  | { reason: 'already_exists'; existing_ids: readonly string[] }

type ProblemParts = {
  headers?: Record<string, string>
  members?: Record<string, unknown>
  errors?: FieldError[]
  credentialId?: string | undefined
  cause?: unknown
}

/** An error response for the caller. `detail` is public; `cause` and the id of the presented credential are only logged. */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly detail: string
  readonly headers: Record<string, string>
  readonly members: Record<string, unknown>
  readonly errors: FieldError[] | undefined
  readonly credentialId: string | undefined

  constructor(code: ProblemCode, detail: string, parts: ProblemParts = {}) {
    super(`${code}: ${detail}`, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.name = 'ProblemError'
    this.code = code
    this.detail = detail
    this.headers = parts.headers ?? {}
    this.members = parts.members ?? {}
    this.errors = parts.errors
    this.credentialId = parts.credentialId
  }

  get status(): number {
    return PROBLEMS[this.code].status
  }
}

export const notFound = (detail = 'Not found, or not yours.') => new ProblemError('not_found', detail)

export const forbidden = (detail = 'Your role may not call this operation.') => new ProblemError('forbidden', detail)

export const conflict = (detail: string, members: ConflictMembers) => new ProblemError('conflict', detail, { members })

export const limitReached = (detail: string) => conflict(detail, { reason: 'limit_reached' })

export const preconditionFailed = () =>
  new ProblemError('precondition_failed', 'The record has changed since you read it. Read it again.')

export const malformedJson = (detail: string) => new ProblemError('malformed_json', detail)

export const malformedRequest = (detail: string) =>
  new ProblemError('malformed_request', detail, { headers: { connection: 'close' } })

export const invalid = (errors: FieldError[]) =>
  new ProblemError(
    'validation_failed',
    errors.length === 1 ? 'The input has one error.' : `The input has ${errors.length} errors.`,
    {
      errors,
    },
  )

/** Creates the error of a body member that names a missing record. */
export const unknownReference = (pointer: string, detail: string): FieldError => ({
  pointer,
  code: 'unknown_reference',
  detail,
})

/** Resolves to undefined when the look-up throws 404 `not_found`: for records named by the body, not by the URL. */
export async function foundOrUndefined<T>(lookup: Promise<T>): Promise<T | undefined> {
  return lookup.catch((error: unknown) => {
    if (error instanceof ProblemError && error.code === 'not_found') return undefined
    throw error
  })
}

/**
 * Creates the 409 `invalid_state` for a transition that is not in the state table. Includes the current state
 * and the allowed transitions.
 */
export const invalidState = (state: State, detail = inWords(state)) =>
  new ProblemError('invalid_state', detail, {
    members: { current_state: state.current, allowed_transitions: state.allowed },
  })

type State = { current: string; allowed: readonly string[] }

const inWords = ({ current, allowed }: State) =>
  `The state is ${current}. You ${allowed.length === 0 ? 'cannot change it' : `can change it to ${allowed.join(' or ')}`}.`

export const rateLimited = (retryAfterSeconds: number, headers: Record<string, string> = {}) =>
  new ProblemError('rate_limited', 'Too many requests. Try again after the time in Retry-After.', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))), ...headers },
  })

const RETRY_AFTER_SECONDS = 2

export const unavailable = (cause?: unknown) =>
  new ProblemError('unavailable', 'The service is temporarily unavailable. Try again.', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    cause,
  })
