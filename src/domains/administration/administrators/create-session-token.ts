import assert from 'node:assert/strict'
import { Type } from 'typebox'
import { sessionCaller } from '../../../access/administrator-sessions.ts'
import { type Caller, findSession } from '../../../access/caller.ts'
import type { IssuedToken, Tokens } from '../../../access/tokens.ts'
import { toUnixSeconds } from '../../../kernel/clock.ts'
import { operation } from '../../../record/index.ts'
import { tags } from './records.ts'
import { findOwnSession } from './store.ts'

export const createSessionToken = operation('POST /auth/session/token', {
  access: 'createSessionToken',
  tags,
  summary: 'Exchange the session for an access token',
  description:
    'A person of a partner gets a token with the rights of the partner. The token is valid for 15 minutes, but no longer than the session: logging out ends it within a second. Accepts the session cookie only.',
  response: {
    200: Type.Object(
      {
        access_token: Type.String(),
        token_type: Type.Literal('Bearer'),
        expires_in: Type.Integer({ description: 'Seconds' }),
      },
      {
        description: 'An access token of an administrator',
        examples: [{ access_token: 'eyJhbGciOi.payload.signature', token_type: 'Bearer', expires_in: 900 }],
      },
    ),
  },
  // Not `decide`: it writes nothing.
  read: async ({ deps, request }) => {
    const ownSession = await findOwnSession(deps, request.caller)
    const issued = issueTo(deps.tokens, sessionCaller(ownSession), toUnixSeconds(ownSession.endsAt))
    return { access_token: issued.token, token_type: 'Bearer' as const, expires_in: issued.expiresInSeconds }
  },
})

/** Issues a token to the person of a session. */
function issueTo(tokens: Tokens, caller: Caller, expiresAt: number): IssuedToken {
  const session = findSession(caller)
  assert(session, 'it was found by one')
  const person = { subject: session.subject, session: { id: session.sessionId, expiresAt } }
  if (caller.kind === 'platform' || caller.kind === 'provider') return tokens.issueToPerson({ ...caller, ...person })
  assert('subject' in caller, 'others with a session are administrators')
  return tokens.issueToAdministrator({ role: caller.kind, ...person })
}
