import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import type { App } from '../../kernel/http/server.ts'
import { presentUser, reachUser } from '../users/index.ts'
import { completeOnboarding } from './complete-onboarding.ts'
import * as schemas from './schemas.ts'

export function onboardingRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  app.post(
    '/users/:user_id/complete_onboarding',
    {
      schema: schemas.completeOnboardingSchema,
      config: {
        may: matrix.completeOnboarding,
        reach: (request) => reachUser(deps.db, userScopeFrom(request)),
        refuses: ['conflict'],
      },
    },
    async (request) => {
      const onboarding = { userId: request.params.user_id, form: request.body, by: actorFrom(request) }
      const { user, token } = await deps.db.transaction((tx) => completeOnboarding(tx, deps, onboarding))
      return { access_token: token, user: presentUser(user) }
    },
  )
}
