import { type FieldError, ProblemError } from '../../../kernel/problem-error.ts'

export const oauthError = (error: string, detail: string, errors?: FieldError[]) =>
  new ProblemError('malformed_request', detail, { members: { error }, ...(errors && { errors }) })

/** The errors of a token request as RFC 6749, 5.2 requires: a 400 with the `error` member OAuth clients read. */
export function invalidTokenRequest(errors: FieldError[]): ProblemError {
  const isOtherGrant = errors.every(({ pointer, code }) => pointer === '/grant_type' && code === 'not_allowed')
  return isOtherGrant
    ? oauthError('unsupported_grant_type', 'The only supported grant_type is client_credentials.', errors)
    : oauthError('invalid_request', 'The token request is invalid; see errors.', errors)
}

const NOT_A_FORM = ' A form needs the Content-Type application/x-www-form-urlencoded.'

/** Adds the `error` member to the 400 of a body that cannot be read; returns every other error as it is. */
export function readableByOauthClients(error: unknown): unknown {
  if (!(error instanceof ProblemError) || error.status !== 400 || error.members['error'] !== undefined) return error
  const detail = error.detail + (error.code === 'malformed_json' ? NOT_A_FORM : '')
  return new ProblemError(error.code, detail, { members: { error: 'invalid_request' }, headers: error.headers })
}
