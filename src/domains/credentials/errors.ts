import { type FieldError, ProblemError } from '../../kernel/problem-error.ts'

const refused = (error: string, detail: string, errors?: FieldError[]) =>
  new ProblemError('malformed_request', detail, { members: { error }, ...(errors && { errors }) })

/** Says errors of a token request as RFC 6749, 5.2 wants them: a 400 whose `error` is all that OAuth clients look at. */
export function invalidTokenRequest(errors: FieldError[]): ProblemError {
  const isOtherGrant = errors.every(({ pointer, code }) => pointer === '/grant_type' && code === 'not_allowed')
  return isOtherGrant
    ? refused('unsupported_grant_type', 'Tokens are given for client_credentials only.', errors)
    : refused('invalid_request', 'The token request has errors; see errors.', errors)
}

export const repeatedField = () => refused('invalid_request', 'A field of the form is there twice.')
