import assert from 'node:assert/strict'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import type { App } from '../../../kernel/http/server.ts'
import { perform, responding } from '../../../record/index.ts'
import { ensureUserInScope, type Followers, presentUser } from '../../people/users/index.ts'
import { completeOnboarding } from './complete-onboarding.ts'
import * as schemas from './schemas.ts'
import { onboardingStatements } from './store.ts'

export function onboardingRoutes(app: App, { followers, ...deps }: Deps & { followers: Followers }): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const context = { ...deps, ...onboardingStatements(followers), follow: followers.follow }
  app.post(
    '/users/:user_id/complete_onboarding',
    {
      schema: schemas.completeOnboardingSchema,
      config: {
        access: matrix.completeOnboarding,
        loadTarget: (request) => ensureUserInScope(deps.db, userScopeFrom(request)),
        refuses: ['conflict'],
      },
    },
    (request, reply) => {
      const { caller } = request
      assert(caller.kind === 'platform' || caller.kind === 'user', 'the access matrix admits only these two')
      // As in 4.1, the token depends on the credential and epoch of the caller who asks.
      const newToken = () => deps.tokens.issueToUser({ ...caller, userId: onboarding.userId }).token
      const onboarding = { userId: request.params.user_id, input: request.body }
      return perform(deps, {
        request,
        reply,
        turn: onboarding.userId,
        decide: (by) => completeOnboarding(context, onboarding, by),
        present: (user) => responding({ access_token: newToken(), user: presentUser(user) }),
        replay: (body) => ({ ...body, access_token: newToken() }),
      })
    },
  )
}
