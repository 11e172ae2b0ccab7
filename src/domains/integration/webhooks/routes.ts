import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import type { Deps } from '../../../deps.ts'
import { timeFrom } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/crypto/vault.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import type { FieldError } from '../../../kernel/problem-error.ts'
import { changed, created, perform, responding } from '../../../record/index.ts'
import { createEndpoint, type EndpointWithSecret } from './create-endpoint.ts'
import { deleteEndpoint } from './delete-endpoint.ts'
import { findDelivery, listDeliveries } from './delivery-store.ts'
import { validatePatterns } from './matching-types.ts'
import { helpsPartners, ownerOf } from './owner-of.ts'
import { presentDelivery, presentEndpoint, versionOf } from './present.ts'
import { replayDelivery } from './replay-delivery.ts'
import { replayRange } from './replay-range.ts'
import { rotateSecret } from './rotate-secret.ts'
import * as schemas from './schemas.ts'
import { findEndpoint, findReadableEndpoint, listEndpoints } from './store.ts'
import { testEndpoint } from './test-endpoint.ts'
import { updateEndpoint } from './update-endpoint.ts'

export function webhookRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  endpointRoutes(app, deps)
  deliveryRoutes(app, deps)
}

const endpointLoader =
  ({ db }: Deps) =>
  (request: FastifyRequest) =>
    findEndpoint(db, ownerOf(request.caller), param(request, 'webhook_endpoint_id'))

/** Loads an endpoint to read or replay it: an operator or owner may do so with those of partners. */
const readableLoader =
  ({ db }: Deps) =>
  (request: FastifyRequest) =>
    findReadableEndpoint(db, request.caller, param(request, 'webhook_endpoint_id'))

/** Returns an error when the caller asks for the endpoints of others and may not. */
const ownerErrors = ({ caller, query }: FastifyRequest): FieldError[] =>
  Object.hasOwn(query ?? {}, 'owner') && !helpsPartners(caller)
    ? [
        {
          pointer: 'query:owner',
          code: 'not_allowed',
          detail: 'Only operators and owners can ask for endpoints of others.',
        },
      ]
    : []

const endpointErrors =
  ({ targets }: Deps) =>
  ({ body, caller }: FastifyRequest): FieldError[] => {
    const { url, event_types } = (body ?? {}) as Record<string, unknown>
    const detail = typeof url === 'string' ? targets.errorOf(url) : undefined
    const ofUrl: FieldError[] = detail === undefined ? [] : [{ pointer: '/url', code: 'format', detail }]
    return [...ofUrl, ...validatePatterns(event_types, ownerOf(caller).kind)]
  }

const withSecret = (vault: Vault, { endpoint, secret }: EndpointWithSecret) => ({
  ...presentEndpoint(vault, endpoint),
  secret,
})

function endpointRoutes(app: App, deps: Deps): void {
  const { db, vault } = deps
  const loadTarget = endpointLoader(deps)
  const loadReadable = readableLoader(deps)
  const errors = endpointErrors(deps)

  app.post(
    '/webhook_endpoints',
    {
      schema: schemas.createEndpointSchema,
      config: { access: matrix.createWebhookEndpoint, errors, refuses: ['conflict'], versioned: true },
    },
    (request, reply) =>
      perform(deps, {
        request,
        reply,
        turn: `webhooks:${ownerOf(request.caller).id}`,
        decide: (by) => createEndpoint(deps, request.body, by),
        present: (made) => ({
          ...created(locationOf(request, made.endpoint.id), versionOf(vault, made.endpoint)),
          body: withSecret(vault, made),
        }),
      }),
  )

  app.get(
    '/webhook_endpoints',
    { schema: schemas.listEndpointsSchema, config: { access: matrix.listWebhookEndpoints, errors: ownerErrors } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listEndpoints(db, request.query.owner ?? ownerOf(request.caller), page)
      return paged(
        { request, reply },
        { ...page, total },
        rows.map((endpoint) => presentEndpoint(vault, endpoint)),
      )
    },
  )

  app.get(
    '/webhook_endpoints/:webhook_endpoint_id',
    { schema: schemas.readEndpointSchema, config: { access: matrix.readWebhookEndpoint, loadTarget: loadReadable } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(vault, await loadReadable(request))),
  )

  app.patch(
    '/webhook_endpoints/:webhook_endpoint_id',
    {
      schema: schemas.updateEndpointSchema,
      config: { access: matrix.updateWebhookEndpoint, loadTarget, errors, refuses: ['precondition_failed'] },
    },
    (request, reply) => {
      const { webhook_endpoint_id: endpointId } = request.params
      const input = { endpointId, patch: request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: endpointId,
        decide: (by) => updateEndpoint(deps, input, by),
        present: (endpoint) => changed(versionOf(vault, endpoint)),
      })
    },
  )

  app.delete(
    '/webhook_endpoints/:webhook_endpoint_id',
    {
      schema: schemas.deleteEndpointSchema,
      config: { access: matrix.deleteWebhookEndpoint, loadTarget, refuses: ['precondition_failed'] },
    },
    (request, reply) => {
      const { webhook_endpoint_id: endpointId } = request.params
      const deletion = { endpointId, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: endpointId,
        decide: (by) => deleteEndpoint(deps, deletion, by),
        present: (id) => responding({ id }),
      })
    },
  )

  app.post(
    '/webhook_endpoints/:webhook_endpoint_id/rotate_secret',
    { schema: schemas.rotateSecretSchema, config: { access: matrix.rotateWebhookSecret, loadTarget, versioned: true } },
    (request, reply) => {
      const { webhook_endpoint_id: endpointId } = request.params
      return perform(deps, {
        request,
        reply,
        turn: endpointId,
        decide: (by) => rotateSecret(deps, endpointId, by),
        present: (made) => ({ ...changed(versionOf(vault, made.endpoint)), body: withSecret(vault, made) }),
      })
    },
  )
}

function deliveryRoutes(app: App, deps: Deps): void {
  const { db } = deps
  const loadTarget = endpointLoader(deps)
  const loadReadable = readableLoader(deps)
  const loadDelivery = async (request: FastifyRequest) =>
    findDelivery(db, (await loadReadable(request)).id, param(request, 'delivery_id'))

  app.post(
    '/webhook_endpoints/:webhook_endpoint_id/test',
    {
      schema: schemas.testEndpointSchema,
      config: { access: matrix.testWebhookEndpoint, loadTarget, refuses: ['conflict'] },
    },
    (request, reply) =>
      perform(deps, {
        request,
        reply,
        decide: (by) => testEndpoint(db, request.params.webhook_endpoint_id, by),
        present: (delivery) => responding(presentDelivery(delivery)),
      }),
  )

  app.get(
    '/webhook_endpoints/:webhook_endpoint_id/deliveries',
    {
      schema: schemas.listDeliveriesSchema,
      config: { access: matrix.listWebhookDeliveries, loadTarget: loadReadable },
    },
    async (request, reply) => {
      const { id: endpointId } = await loadReadable(request)
      const page = pageFrom(request.query)
      const filter = { endpointId, statuses: request.query.status ?? null, page }
      const { rows, total } = await listDeliveries(db, filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentDelivery))
    },
  )

  app.post(
    '/webhook_endpoints/:webhook_endpoint_id/deliveries/:delivery_id/replay',
    {
      schema: schemas.replayDeliverySchema,
      config: { access: matrix.replayWebhookDelivery, loadTarget: loadDelivery, refuses: ['conflict'] },
    },
    (request, reply) => {
      const { webhook_endpoint_id: endpointId, delivery_id: deliveryId } = request.params
      return perform(deps, {
        request,
        reply,
        turn: deliveryId,
        decide: (by) => replayDelivery(db, { endpointId, deliveryId }, by),
        present: (delivery) => responding(presentDelivery(delivery)),
      })
    },
  )

  app.post(
    '/webhook_endpoints/:webhook_endpoint_id/replay',
    {
      schema: schemas.replayRangeSchema,
      config: {
        access: matrix.replayWebhookEvents,
        loadTarget: loadReadable,
        errors: validateRange,
        refuses: ['conflict'],
      },
    },
    (request, reply) => {
      const [from, to] = [timeFrom(request.body.from), timeFrom(request.body.to)] as [Date, Date]
      const { webhook_endpoint_id: endpointId } = request.params
      return perform(deps, {
        request,
        reply,
        turn: endpointId,
        decide: (by) => replayRange(db, { endpointId, from, to }, by),
        present: (queued) => responding({ queued }),
      })
    },
  )
}

function validateRange({ body }: { body: unknown }): FieldError[] {
  const input = (body ?? {}) as Record<string, unknown>
  const malformed = ['from', 'to'].filter((name) => typeof input[name] === 'string' && !timeFrom(input[name]))
  const [from, to] = [timeFrom(input['from']), timeFrom(input['to'])]
  if (from && to && from >= to) return [{ pointer: '/to', code: 'too_small', detail: 'Must be later than `from`.' }]
  const detail = 'Must be a UTC time such as 2026-04-01T00:00:00.'
  return malformed.map((name) => ({ pointer: `/${name}`, code: 'format', detail }))
}
