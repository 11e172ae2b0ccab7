import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { todayIn } from '../../../kernel/clock.ts'
import { responsePart, sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { changedPart, created, perform } from '../../../record/index.ts'
import { ensureUserInScope } from '../../people/users/index.ts'
import { enrol } from './enrol.ts'
import type { PolicyWithSince } from './open-policy.ts'
import { presentPolicy, presentStatus, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { setPolicyStatus } from './set-policy-status.ts'
import { findPolicy, findPolicyWithSince, listPolicies } from './store.ts'

export function policyRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const ensureOwnerInScope = (request: FastifyRequest) => ensureUserInScope(deps.db, userScopeFrom(request))
  const loadTarget = (request: FastifyRequest) =>
    findPolicy(deps, userScopeFrom(request), param(request, 'insurance_policy_id'))

  app.post(
    '/users/:user_id/insurance_policies',
    {
      schema: schemas.enrolSchema,
      config: { access: matrix.enrolInsurancePolicy, loadTarget: ensureOwnerInScope, refuses: ['conflict'] },
    },
    (request, reply) => {
      const enrolment = { userId: request.params.user_id, input: request.body }
      return perform(deps, {
        request,
        reply,
        turn: enrolment.userId,
        decide: (by) => enrol(deps, enrolment, by),
        present: (policy) => created(locationOf(request, policy.id), versionOf(policy)),
      })
    },
  )

  app.get(
    '/users/:user_id/insurance_policies',
    {
      schema: schemas.listPoliciesSchema,
      config: { access: matrix.listInsurancePolicies, loadTarget: ensureOwnerInScope, isShared: true },
    },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const call = { ...userScopeFrom(request), ...page, statuses: request.query.status }
      const { rows, total } = await listPolicies(deps, call)
      return paged({ request, reply }, { ...page, total }, rows.map(presentPolicy))
    },
  )

  app.get(
    '/users/:user_id/insurance_policies/:insurance_policy_id',
    { schema: schemas.readPolicySchema, config: { access: matrix.readInsurancePolicy, loadTarget } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await loadTarget(request))),
  )

  const statusFor = (request: FastifyRequest, policy: PolicyWithSince) =>
    presentStatus(policy, { who: request.caller.kind, today: todayIn(deps.calendar) })

  app.get(
    '/users/:user_id/insurance_policies/:insurance_policy_id/status',
    { schema: schemas.readPolicyStatusSchema, config: { access: matrix.readInsurancePolicyStatus, loadTarget } },
    async (request, reply) => {
      const found = await findPolicyWithSince(deps, userScopeFrom(request), request.params.insurance_policy_id)
      return responsePart({ request, reply }, versionOf(found.policy), statusFor(request, found))
    },
  )

  app.put(
    '/users/:user_id/insurance_policies/:insurance_policy_id/status',
    {
      schema: schemas.setPolicyStatusSchema,
      config: {
        access: matrix.setInsurancePolicyStatus,
        loadTarget,
        refuses: ['conflict', 'invalid_state', 'precondition_failed'],
      },
    },
    (request, reply) => {
      const { user_id: userId, insurance_policy_id: policyId } = request.params
      const change = { userId, policyId, input: request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: policyId,
        decide: (by) => setPolicyStatus(deps, change, by),
        present: (result) => changedPart(versionOf(result.policy), statusFor(request, result)),
      })
    },
  )
}
