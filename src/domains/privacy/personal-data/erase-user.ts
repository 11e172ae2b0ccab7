import { Type } from 'typebox'
import { userScopeFrom } from '../../../access/scope.ts'
import { checkFresh } from '../../../kernel/http/conditional.ts'
import { OneOf } from '../../../kernel/http/schemas.ts'
import { type Deps, operationIn, responding } from '../../../record/index.ts'
import { ensureUserInPath, findUser, UserPath, versionOfUser } from '../../people/users/index.ts'
import { decideErasure } from './decide-erasure.ts'
import { ErasureRecord, presentErasure, tags } from './records.ts'
import type { ErasureRunContext } from './run-erasures.ts'

export const eraseUser = operationIn<Deps & ErasureRunContext>()('DELETE /users/:user_id', {
  access: 'eraseUser',
  tags,
  summary: 'Erase a user',
  description:
    'Destroys the data key of the user, so that none of their personal data can be decrypted, and revokes every session ' +
    'and token within a second. From then on every URL of the user returns 404 and their health cards are `not_valid`; ' +
    'their phone and id proof can belong to a new user. Wallet transactions and policy numbers are retained without ' +
    'the person, as `fields` states; where a hold by rule 8(3) is set, the data stays for a time, sealed for who has a key that no ' +
    'server has. With a notice period, `erased_at` is in the future; repeating the request returns ' +
    'the same, and `DELETE …/erasure` cancels it. Benefit providers that had a policy hear it by `user.erased`, with the ids of ' +
    'their policies. The wallet operator and the account provider are not called: inform them of what they hold.',
  params: UserPath,
  querystring: Type.Object(
    {
      end_policies: Type.Optional(
        OneOf(['true', 'false'], {
          description: '`true` ends policies that are in force. Otherwise they cause a 409.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  response: { 200: ErasureRecord },
  problems: ['conflict', 'precondition_failed'],
  checkTargetFirst: ensureUserInPath,
  serializeBy: ({ params }) => params.user_id,
  change: ({ deps, request, params, query }, author) => {
    const ifMatch = request.headers['if-match']
    const checkVersion = async () => {
      if (ifMatch === undefined) return
      const user = await findUser(deps.db, deps.vault, userScopeFrom(request))
      checkFresh(ifMatch, () => versionOfUser(user))
    }
    return decideErasure(
      deps,
      { userId: params.user_id, endsPolicies: query.end_policies === 'true', checkVersion },
      author,
    )
  },
  present: (outcome, { deps }) => responding(presentErasure(deps, outcome)),
})
