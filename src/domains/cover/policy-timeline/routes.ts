import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { findPolicy } from '../policies/index.ts'
import { presentEntry } from './present.ts'
import * as schemas from './schemas.ts'
import { listEntries } from './store.ts'

export function timelineRoutes(app: App, deps: Deps): void {
  app.addSchema(schemas.TimelineEntry)
  const loadTarget = (request: FastifyRequest) =>
    findPolicy(deps, userScopeFrom(request), param(request, 'insurance_policy_id'))

  app.get(
    '/users/:user_id/insurance_policies/:insurance_policy_id/timeline',
    { schema: schemas.listTimelineSchema, config: { access: matrix.listInsurancePolicyTimeline, loadTarget } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const query = { policyId: request.params.insurance_policy_id, page }
      const { rows, total } = await listEntries(deps, userScopeFrom(request), query)
      return paged({ request, reply }, { ...page, total }, rows.map(presentEntry))
    },
  )
}
