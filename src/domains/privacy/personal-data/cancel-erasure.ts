import { userScopeFrom } from '../../../access/scope.ts'
import { type Deps, newEvent, operationIn, responding, unchanged } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { type ErasureContext, erasureEvent } from './decide-erasure.ts'
import { CancelledErasureRecord, tags } from './records.ts'
import { CANCEL_ERASURE, findErasable } from './store.ts'

export const cancelErasure = operationIn<Deps & Pick<ErasureContext, 'statements'>>()(
  'DELETE /users/:user_id/erasure',
  {
    access: 'cancelErasure',
    tags,
    summary: 'Cancel the erasure of a user',
    description:
      'Possible during the notice period, if there is one. Without a scheduled erasure, `cancelled` is `false`. ' +
      'Returns 404 for a user who was erased.',
    params: UserPath,
    response: { 200: CancelledErasureRecord },
    checkTargetFirst: ensureUserInPath,
    serializeBy: ({ params }) => params.user_id,
    change: async ({ deps, request, params }) => {
      const { person } = await findErasable(deps.db, deps.statements, userScopeFrom(request))
      if (person.waitsUntil === null) return unchanged(false)
      return {
        result: true,
        ...CANCEL_ERASURE.with({ user_id: params.user_id }),
        events: [newEvent('user.erasure_cancelled', erasureEvent(person))],
      }
    },
    present: (cancelled, { params }) => responding({ user_id: params.user_id, cancelled }),
  },
)
