import { Type } from 'typebox'
import { checkPage } from '../../../access/cross-origin.ts'
import { nameCaller } from '../../../access/logged-caller.ts'
import { platformOfChallenge, useCode } from '../../../access/otp.ts'
import { Text } from '../../../kernel/http/schemas.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { operationIn } from '../../../record/index.ts'
import { presentPair, type SessionDeps, tags, TokenPairRecord } from './records.ts'

/** Not in the schema, which only grows: what is no code was a 401 before, and used up an attempt. */
function validateCode({ body }: { body: unknown }): FieldError[] {
  const { otp } = (body ?? {}) as { otp?: unknown }
  return typeof otp !== 'string' || /^[0-9]{6}$/.test(otp) ? [] : [NO_CODE]
}

const NO_CODE: FieldError = {
  pointer: '/otp',
  code: 'format',
  detail: 'A one-time code is six digits without spaces, such as 123456.',
}

export const verifyOtp = operationIn<SessionDeps>()('POST /auth/otp/verify', {
  access: 'verifyOtp',
  limit: 'signIns',
  tags,
  summary: 'Exchange a one-time code for a token pair',
  description:
    'A code works once; five wrong codes end the challenge. By default, an IP address may send 30 wrong codes ' +
    'an hour.',
  body: Type.Object(
    { challenge_id: Text({ maxLength: 100 }), otp: Text({ maxLength: 20 }) },
    { examples: [{ challenge_id: 'otp_06bnv3m2r8f1s4k7q9t3v6w0y2', otp: '123456' }] },
  ),
  response: { 200: TokenPairRecord },
  problems: ['forbidden', 'otp_invalid'],
  validate: validateCode,
  // Not `decide`: a wrong code is an error that is counted, so it writes too.
  read: async ({ deps, request, reply, body }) => {
    if (request.pageOf) checkPage(request, await platformOfChallenge(deps.db, body.challenge_id))
    const addressKey = deps.vault.blindIndex('otp_wrong_code', request.sender.address.network)
    const { pair, headers } = await useCode(deps, { challengeId: body.challenge_id, code: body.otp, addressKey })
    nameCaller(request, pair.caller)
    reply.headers(headers)
    return presentPair(pair)
  },
})
