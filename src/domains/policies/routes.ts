import type { FastifyRequest } from 'fastify'
import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { reachUser } from '../users/index.ts'
import { enrol } from './enrol.ts'
import { movePolicy } from './move-policy.ts'
import { presentPolicy, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findPolicy, openPolicyList } from './store.ts'

export function policyRoutes(app: App, { db, vault, calendar }: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const list = openPolicyList(db, vault)
  const reachOwner = (request: FastifyRequest) => reachUser(db, userScopeFrom(request))
  const reach = (request: FastifyRequest) =>
    findPolicy(
      db,
      vault,
      userScopeFrom(request),
      (request.params as { insurance_policy_id: string }).insurance_policy_id,
    )

  app.post(
    '/users/:user_id/insurance_policies',
    {
      schema: schemas.enrolSchema,
      config: { may: matrix.enrolInsurancePolicy, reach: reachOwner, refuses: ['conflict'] },
    },
    async (request, reply) => {
      const enrolment = { userId: request.params.user_id, form: request.body, by: actorFrom(request) }
      const policy = await db.transaction((tx) => enrol(tx, { vault, calendar }, enrolment))
      const location = `/v1/users/${policy.userId}/insurance_policies/${policy.id}`
      return reply
        .code(201)
        .header('location', location)
        .send(answerChanged(reply, versionOf(policy)))
    },
  )

  app.get(
    '/users/:user_id/insurance_policies',
    { schema: schemas.listPoliciesSchema, config: { may: matrix.listInsurancePolicies, reach: reachOwner } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await list({ ...userScopeFrom(request), ...page, statuses: request.query.status })
      return paged({ request, reply }, { ...page, total }, rows.map(presentPolicy))
    },
  )

  app.get(
    '/users/:user_id/insurance_policies/:insurance_policy_id',
    { schema: schemas.readPolicySchema, config: { may: matrix.readInsurancePolicy, reach } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await reach(request))),
  )

  app.put(
    '/users/:user_id/insurance_policies/:insurance_policy_id/status',
    {
      schema: schemas.setPolicyStatusSchema,
      config: {
        may: matrix.setInsurancePolicyStatus,
        reach,
        refuses: ['conflict', 'invalid_state', 'precondition_failed'],
      },
    },
    async (request) => {
      const { user_id: userId, insurance_policy_id: policyId } = request.params
      const form = {
        userId,
        policyId,
        form: request.body,
        ifMatch: request.headers['if-match'],
        by: actorFrom(request),
      }
      return db.transaction((tx) => movePolicy(tx, { vault, calendar }, form))
    },
  )
}
