import type { FieldErrorCode } from './field-error-codes.ts'

/** One error in the caller's input: its location, a stable code and a sentence. Never includes the value. */
export type FieldError = { pointer: string; code: FieldErrorCode; detail: string }

/** Every problem code. What callers read about it is in `domains/problem-descriptions.ts`. */
export const PROBLEMS = {
  malformed_request: { status: 400, title: 'Malformed request' },
  malformed_json: { status: 400, title: 'Malformed JSON' },
  login_failed: { status: 400, title: 'Login failed' },
  unauthenticated: { status: 401, title: 'Not authenticated' },
  token_expired: { status: 401, title: 'Token expired' },
  invalid_refresh_token: { status: 401, title: 'Invalid refresh token' },
  otp_invalid: { status: 401, title: 'Invalid code' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  not_acceptable: { status: 406, title: 'Not acceptable' },
  request_timeout: { status: 408, title: 'Request timeout' },
  invalid_state: { status: 409, title: 'Invalid state transition' },
  conflict: { status: 409, title: 'Conflict' },
  idempotency_in_progress: { status: 409, title: 'Request in progress' },
  precondition_failed: { status: 412, title: 'Changed in the meantime' },
  payload_too_large: { status: 413, title: 'Body too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  expectation_failed: { status: 417, title: 'Expectation failed' },
  validation_failed: { status: 422, title: 'Invalid input' },
  idempotency_key_reused: { status: 422, title: 'Idempotency key reused' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'Headers too large' },
  internal: { status: 500, title: 'Internal error' },
  unreadable: { status: 500, title: 'Record unreadable' },
  unavailable: { status: 503, title: 'Unavailable' },
} as const satisfies Record<string, { status: number; title: string }>

export type ProblemCode = keyof typeof PROBLEMS

/** The `reason` of every 409 `conflict`, for programs to branch on. */
export const CONFLICT_REASONS = [
  'insufficient_balance',
  'reference_used',
  'already_exists',
  'limit_reached',
  'refund_exceeds',
  'deposit_short',
  'erasure_scheduled',
  'in_use',
  'archived',
  'inactive',
  'incomplete',
  'term_over',
  'different_content',
  'persons_changed',
  'different_person',
  'assigned',
  'not_refusable',
  'not_withdrawable',
  'ending',
  'consent_missing',
] as const

export type ConflictReason = (typeof CONFLICT_REASONS)[number]

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

export const conflict = (
  detail: string,
  members: {
    reason: Exclude<ConflictReason, 'already_exists' | 'persons_changed' | 'refund_exceeds' | 'deposit_short'>
  },
) => new ProblemError('conflict', detail, { members })

export const alreadyExists = (detail: string, existing_ids: readonly string[]) =>
  new ProblemError('conflict', detail, { members: { reason: 'already_exists', existing_ids } })

/** Creates the 409 of a decision about people who have been corrected since; includes the number to send. */
export const personsChanged = (detail: string, persons_version: number) =>
  new ProblemError('conflict', detail, { members: { reason: 'persons_changed', persons_version } })

/** A limit of an amount, what is left of it, and the day on which its count begins again. */
type AmountLimit = { limit: string; left_paise: number; free_on: string | null }

export const limitReached = (detail: string, of?: AmountLimit) =>
  new ProblemError('conflict', detail, { members: { reason: 'limit_reached', ...of } })

/** Creates the 409 of a refund above what its booking has left; includes that amount. */
export const refundExceeds = (detail: string, left_paise: number) =>
  new ProblemError('conflict', detail, { members: { reason: 'refund_exceeds', left_paise } })

/** Creates the 409 of an amount that the deposit does not hold, or only since a day; includes what is missing, and that day. */
export const depositShort = (detail: string, missing_paise: number, held_from: string | null = null) =>
  new ProblemError('conflict', detail, { members: { reason: 'deposit_short', missing_paise, held_from } })

export const preconditionFailed = () =>
  new ProblemError('precondition_failed', 'The record has changed since you read it. Read it again.')

export const payloadTooLarge = (detail: string) => new ProblemError('payload_too_large', detail)

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

/** Resolves to undefined when the lookup throws 404 `not_found`: for records named by the body, not by the URL. */
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
export const invalidState = (state: State, detail = describeState(state)) =>
  new ProblemError('invalid_state', detail, {
    members: { current_state: state.current, allowed_transitions: state.allowed },
  })

type State = { current: string; allowed: readonly string[] }

const describeState = ({ current, allowed }: State) =>
  `The state is ${current}. You ${allowed.length === 0 ? 'cannot change it' : `can change it to ${allowed.join(' or ')}`}.`

type Reached = { name: string; wait_s: number; headers: Record<string, string> }

/** Creates the 429 of a limit; `docs/partners/limits.md` explains each name. */
export const rateLimited = ({ name, wait_s, headers }: Reached) =>
  new ProblemError('rate_limited', `The limit \`${name}\` is reached. Try again after the time in Retry-After.`, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(wait_s))), ...headers },
  })

const RETRY_AFTER_SECONDS = 2

export const unavailable = (cause?: unknown) =>
  new ProblemError('unavailable', 'The service is temporarily unavailable. Try again.', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
    cause,
  })
