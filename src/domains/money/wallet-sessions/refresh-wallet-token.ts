import { checkPage } from '../../../access/cross-origin.ts'
import { nameCaller } from '../../../access/logged-caller.ts'
import { operationIn } from '../../../record/index.ts'
import { presentPair, RefreshInput, type SessionDeps, tags, TokenPairRecord } from './records.ts'

export const refreshWalletToken = operationIn<SessionDeps>()('POST /auth/token/refresh', {
  access: 'refreshWalletToken',
  limit: 'refreshes',
  tags,
  summary: 'Refresh a token pair',
  description:
    'A refresh token works once. Reusing one ends the session, except that sending the last one again within ten ' +
    'seconds returns the same pair. Sessions end after 30 days without use, and after 90 days in any case.',
  body: RefreshInput,
  response: { 200: TokenPairRecord },
  problems: ['forbidden', 'invalid_refresh_token'],
  // Not `decide`: the token itself is rotated, and sending it again is the repetition that is recognised.
  read: async ({ deps, request, body }) => {
    if (request.pageOf) checkPage(request, await deps.families.platformOf(body.refresh_token))
    const pair = await deps.families.refresh(body.refresh_token)
    nameCaller(request, pair.caller)
    return presentPair(pair)
  },
})
