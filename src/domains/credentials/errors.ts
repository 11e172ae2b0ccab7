import { type Fault, Refusal } from '../../kernel/refusal.ts'

const refused = (error: string, detail: string, faults?: Fault[]) =>
  new Refusal('malformed_request', detail, { members: { error }, ...(faults && { faults }) })

/** Says faults of a token request as RFC 6749, 5.2 wants them: a 400 whose `error` is all that OAuth clients look at. */
export function invalidTokenRequest(faults: Fault[]): Refusal {
  const isOtherGrant = faults.every(({ pointer, code }) => pointer === '/grant_type' && code === 'not_allowed')
  return isOtherGrant
    ? refused('unsupported_grant_type', 'Tokens are given for client_credentials only.', faults)
    : refused('invalid_request', 'The token request has faults; see errors.', faults)
}

export const repeatedField = () => refused('invalid_request', 'A field of the form is there twice.')
