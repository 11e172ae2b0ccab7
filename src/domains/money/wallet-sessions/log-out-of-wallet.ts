import { Type } from 'typebox'
import { checkPage } from '../../../access/cross-origin.ts'
import { nameCaller } from '../../../access/logged-caller.ts'
import { operationIn } from '../../../record/index.ts'
import { RefreshInput, type SessionDeps, tags } from './records.ts'

export const logOutOfWallet = operationIn<SessionDeps>()('POST /auth/logout', {
  access: 'logOutOfWallet',
  limit: 'refreshes',
  tags,
  summary: 'End a session',
  description:
    'Ends the session of the refresh token; its access tokens stop working within a second. Always returns 200.',
  body: RefreshInput,
  response: { 200: Type.Object({ success: Type.Boolean() }, { examples: [{ success: true }] }) },
  problems: ['forbidden'],
  // Not `decide`: sessions are not records of the audit, and ending one twice changes nothing.
  read: async ({ deps, request, body }) => {
    if (request.pageOf) checkPage(request, await deps.families.platformOf(body.refresh_token))
    const ended = await deps.families.logOut(body.refresh_token)
    if (ended) nameCaller(request, ended)
    return { success: true }
  },
})
