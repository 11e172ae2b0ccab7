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
      'The request line, a header or the address could not be understood; where access tokens are asked for, also the form, and `error` says why (RFC 6749, 5.2).',
    remedy: 'Send it as HTTP/1.1 says, with each header once.',
    example: { detail: 'The Host header is missing.' },
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    meaning:
      'The body is not one JSON object in UTF-8, repeats a key, is nested deeper than 32 levels, or holds a number that would come back different. `detail` names the byte, counted from 0.',
    remedy: 'Look at that byte, and let a JSON library write the body.',
    example: { detail: 'At byte 17: the key is there twice.' },
  },
  login_failed: {
    status: 400,
    title: 'Login failed',
    meaning:
      'An administrator came back from the identity provider, and nothing proves who it is: the login was not begun in this browser, took longer than ten minutes, was used already or was refused there.',
    remedy: 'Log in again at `/v1/auth/oidc/login`.',
    example: { detail: 'This browser has begun no login, or began it more than ten minutes ago. Log in again.' },
  },
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    meaning: 'No credential was sent, or the one sent is not valid (any more).',
    remedy:
      'Send a credential that is valid in the `Authorization` header, or `admin-api-key` where that is asked for.',
    example: { detail: 'An access token is needed.' },
  },
  token_expired: {
    status: 401,
    title: 'Token expired',
    meaning: 'The access token was valid once; get a new one.',
    remedy: 'Get a new token and send the request again.',
    example: { detail: 'The access token has expired.' },
  },
  invalid_refresh_token: {
    status: 401,
    title: 'Refresh token not valid',
    meaning: 'The refresh token is unknown, used up, expired or its session has ended; sign in again.',
    remedy: 'Let the person sign in with a one-time code.',
    example: { detail: 'The refresh token is not valid.' },
  },
  otp_invalid: {
    status: 401,
    title: 'Code not valid',
    meaning: 'The code is wrong, was used, has expired, or was tried too often; ask for a new one.',
    remedy: 'Ask for a new code with `POST /wallet/v1/auth/otp`.',
    example: { detail: 'The code is not valid.' },
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    meaning:
      'The credential is valid, but its role may not call this operation, or it is not good from this network address.',
    remedy:
      'Call it with a credential of a role that the operation lists under “Who may call”, from a network of its `ip_allow_list`.',
    example: { detail: 'Your role may not call this operation.' },
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is no such thing, or it is not yours; the two are never told apart.',
    remedy: 'Check the ids in the address, and whether they belong to the one who calls.',
    example: { detail: 'There is no such thing, or it is not yours.' },
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The address exists, but not with this method. `Allow` lists those it has.',
    remedy: 'Use one of those.',
    example: { detail: 'This address does not have that method.' },
  },
  not_acceptable: {
    status: 406,
    title: 'Not acceptable',
    meaning: 'The `Accept` header asks for a form in which this response cannot be had.',
    remedy: 'Accept the media type that `detail` names, or send no `Accept`.',
    example: { detail: 'This response can be had as application/json only.' },
  },
  request_timeout: {
    status: 408,
    title: 'Request too slow',
    meaning: 'The request was not there as a whole within 15 seconds, its headers within 8. Send it again.',
    remedy: 'Send it again, over a better line or in smaller parts.',
    example: { detail: 'The request took too long to arrive.' },
  },
  invalid_state: {
    status: 409,
    title: 'Invalid state transition',
    meaning:
      'The thing is in a state from which this move does not lead. See `current_state` and `allowed_transitions`.',
    remedy: 'Read where the thing is and ask for a move that leads on from there.',
    example: {
      detail: 'This move does not lead from the current state.',
      current_state: 'PENDING',
      allowed_transitions: ['VERIFICATION', 'REJECTED'],
    },
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    meaning: 'The request contradicts what is already recorded; `reason` says how.',
    remedy: 'Do what the page of errors says of the `reason`.',
    example: { detail: 'This reference is booked already.', reason: 'reference_used' },
  },
  idempotency_in_progress: {
    status: 409,
    title: 'Still running',
    meaning: 'The first request with this `Idempotency-Key` has not ended; ask again.',
    remedy: 'Send the same request again after `Retry-After` seconds.',
    example: { detail: 'The first request with this Idempotency-Key has not ended. Send it again.' },
  },
  precondition_failed: {
    status: 412,
    title: 'Changed in the meantime',
    meaning: 'The record is not the one that `If-Match` names any more; read it again.',
    remedy: 'Read it again, and send the change with the new `ETag`.',
    example: { detail: 'The record has changed since you read it.' },
  },
  payload_too_large: {
    status: 413,
    title: 'Body too large',
    meaning: 'JSON bodies may have 256 KiB, uploads 10 MiB.',
    remedy: 'Send less at once.',
    example: { detail: 'The body is larger than this operation reads.' },
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'The body is not in a media type, charset or encoding that this operation reads.',
    remedy: 'Send one of the media types that the operation lists, in UTF-8, not compressed.',
    example: { detail: 'This operation reads another media type.' },
  },
  expectation_failed: {
    status: 417,
    title: 'Expectation failed',
    meaning: 'The `Expect` header asks for something other than `100-continue`.',
    remedy: 'Leave the header out.',
    example: { detail: 'Nothing but 100-continue can be expected here.' },
  },
  validation_failed: {
    status: 422,
    title: 'Input not valid',
    meaning: 'The input was understood but is not valid; `errors` has one entry for each error.',
    remedy: 'Mend every error as its `detail` says, and send it again.',
    example: {
      detail: 'One error in the input.',
      errors: [{ code: 'format', ...FIELD_ERROR_CODES.format.example }],
    },
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    meaning: 'This `Idempotency-Key` was used with another request.',
    remedy: 'Send a new key with a new request.',
    example: { detail: 'This Idempotency-Key was used with another request. Send a new key with a new request.' },
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'Too many in too short a time. Try again after `Retry-After` seconds.',
    remedy: 'Wait that long.',
    example: { detail: 'Too many in too short a time.' },
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    meaning: 'The address and the headers may have 16 KiB together.',
    remedy: 'Send fewer and shorter headers.',
    example: { detail: 'The address and the headers are larger than what is read.' },
  },
  internal: {
    status: 500,
    title: 'Internal error',
    meaning: 'Something went wrong on our side. Quote the `request_id` when you report it.',
    remedy: 'If it stays, report it.',
    example: { detail: 'Something went wrong on our side.' },
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    meaning: 'The service cannot answer just now. Try again after `Retry-After` seconds.',
    remedy: 'Send it again, with an `Idempotency-Key` if it must not be done twice.',
    example: { detail: 'The service cannot answer just now; try again.' },
  },
} as const satisfies Record<string, ProblemKind>

export type ProblemCode = keyof typeof PROBLEMS

/** The `reason` of every 409 `conflict`, for programs to branch on. */
export const CONFLICT_REASONS = {
  insufficient_balance: 'The balance is lower than the amount.',
  reference_used: 'The reference was used for another booking.',
  already_exists: 'Something stands in the way of it; `existing_ids` says what.',
  limit_reached: 'There is as much as there may be.',
  in_use: 'Something that is still open needs it.',
  archived: 'It is archived, and nothing new can be made of it.',
  inactive: 'What it would be made from is not active, or not yet.',
  term_over: 'The term is over, and so is its grace.',
  different_content: 'It was done before, with other content.',
} as const

type ConflictMembers =
  | { reason: Exclude<keyof typeof CONFLICT_REASONS, 'already_exists'> }
  | { reason: 'already_exists'; existing_ids: readonly string[] }

type ProblemParts = {
  headers?: Record<string, string>
  members?: Record<string, unknown>
  errors?: FieldError[]
  cause?: unknown
}

/** An error response for the caller. `detail` is public; `cause` is only logged. */
export class ProblemError extends Error {
  readonly code: ProblemCode
  readonly detail: string
  readonly headers: Record<string, string>
  readonly members: Record<string, unknown>
  readonly errors: FieldError[] | undefined

  constructor(code: ProblemCode, detail: string, parts: ProblemParts = {}) {
    super(`${code}: ${detail}`, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.name = 'ProblemError'
    this.code = code
    this.detail = detail
    this.headers = parts.headers ?? {}
    this.members = parts.members ?? {}
    this.errors = parts.errors
  }

  get status(): number {
    return PROBLEMS[this.code].status
  }
}

export const notFound = () => new ProblemError('not_found', 'There is no such thing, or it is not yours.')

export const forbidden = (detail = 'Your role may not call this operation.') => new ProblemError('forbidden', detail)

export const conflict = (detail: string, members: ConflictMembers) => new ProblemError('conflict', detail, { members })

/** Creates the 409 `conflict` with reason `limit_reached`. */
export const limitReached = (detail: string) => conflict(detail, { reason: 'limit_reached' })

export const preconditionFailed = () =>
  new ProblemError('precondition_failed', 'The record has changed since you read it.')

export const malformedJson = (detail: string) => new ProblemError('malformed_json', detail)

export const malformedRequest = (detail: string) =>
  new ProblemError('malformed_request', detail, { headers: { connection: 'close' } })

export const invalid = (errors: FieldError[]) =>
  new ProblemError(
    'validation_failed',
    errors.length === 1 ? 'One error in the input.' : `${errors.length} errors in the input.`,
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
 * Creates the 409 `invalid_state` for a transition that is not in the state table. Tells the caller the current state
 * and the allowed transitions.
 */
export const invalidState = (state: { current: string; allowed: readonly string[] }) =>
  new ProblemError('invalid_state', 'This move does not lead from the current state.', {
    members: { current_state: state.current, allowed_transitions: state.allowed },
  })

export const rateLimited = (retryAfterSeconds: number, headers: Record<string, string> = {}) =>
  new ProblemError('rate_limited', 'Too many in too short a time.', {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))), ...headers },
  })

const RETRY_AFTER_SECONDS = 2

export const unavailable = (cause?: unknown) =>
  new ProblemError('unavailable', 'The service cannot answer just now; try again.', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    cause,
  })
