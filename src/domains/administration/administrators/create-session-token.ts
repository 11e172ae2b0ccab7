import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import { unixSecondsOf } from '../../../kernel/clock.ts'
import { operation } from '../../../record/index.ts'
import { tags } from './records.ts'
import { findOwnSession } from './store.ts'

export const createSessionToken = operation('POST /auth/session/token', {
  access: matrix.createSessionToken,
  tags,
  summary: 'Exchange the session for an access token',
  description:
    'The token is valid for 15 minutes, but no longer than the session: logging out ends it within a second. Accepts the session cookie only.',
  response: {
    200: Type.Object(
      {
        access_token: Type.String(),
        token_type: Type.Literal('Bearer'),
        expires_in: Type.Integer({ description: 'Seconds' }),
      },
      {
        description: 'An access token of an administrator',
        examples: [{ access_token: 'eyJhbGciOi…', token_type: 'Bearer', expires_in: 900 }],
      },
    ),
  },
  // Not `decide`: it writes nothing.
  read: async ({ deps, request }) => {
    const { id, administratorId: subject, role, endsAt } = await findOwnSession(deps, request.caller)
    const session = { id, expiresAt: unixSecondsOf(endsAt) }
    const issued = deps.tokens.issueToAdministrator({ role, subject, session })
    return { access_token: issued.token, token_type: 'Bearer' as const, expires_in: issued.expiresInSeconds }
  },
})
