import { operation } from '../../../record/index.ts'
import { CurrentSessionRecord, presentCurrentSession, tags } from './records.ts'
import { findAdministrator, findOwnSession } from './store.ts'

export const readSession = operation('GET /auth/session', {
  access: 'readSession',
  tags,
  summary: 'Read the current session',
  description:
    'Returns the administrator of the session cookie, or of an access token issued through it. Returns 404 for a token made on the command line.',
  response: { 200: CurrentSessionRecord },
  problems: ['not_found'],
  read: async ({ deps, request }) => {
    const session = await findOwnSession(deps, request.caller)
    return presentCurrentSession(await findAdministrator(deps.db, deps.vault, session.administratorId), session)
  },
})
