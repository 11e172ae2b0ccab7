import { Type } from 'typebox'
import { toSessionsSubject } from '../../../access/caller.ts'
import { toLockOutRows } from '../../../access/otp.ts'
import { revocationRows } from '../../../access/revocations.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import { type Author, type Change, operation, responding } from '../../../record/index.ts'
import { tags, UserPath } from './records.ts'
import { END_ALL_OF_USER, findSessionEpoch } from './session-epoch-store.ts'

export const endUserSessions = operation('DELETE /users/:user_id/sessions', {
  access: 'endUserSessions',
  tags,
  summary: 'End the sessions of a user',
  description:
    'Ends the app tokens and the wallet sessions of the person within a second, and makes the one-time codes under way void: for a lost ' +
    'phone, or a number in other hands. The person can sign in again at once. The codes stay in ' +
    '`GET /v1/users/{user_id}/one_time_codes`. 204 also when there was no session.',
  params: UserPath,
  response: { 204: Type.Null({ description: 'The sessions have ended' }) },
  target: ({ deps, request }) => findSessionEpoch(deps.db, userScopeFrom(request)),
  serializeBy: ({ params }) => params.user_id,
  change: ({ target: epoch, params }, author) => endSessions(params.user_id, epoch, author),
  present: () => responding(undefined, 204),
})

const endSessions = (userId: string, epoch: number, { at }: Author): Change<void> => ({
  result: undefined,
  ...END_ALL_OF_USER.with({ user_id: userId, session_epoch: epoch }),
  rows: { ...toLockOutRows({ userId, at }), ...revocationRows(toSessionsSubject(userId), epoch + 1) },
})
