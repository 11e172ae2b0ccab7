import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { userScopeFrom } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { changed, created, perform, responding } from '../../../record/index.ts'
import { ensureUserInScope } from '../../people/users/index.ts'
import { openConsultation } from './open-consultation.ts'
import { presentConsultation, presentMessage, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { setConsultationStatus } from './set-consultation-status.ts'
import { findConsultation, listConsultations, listMessages } from './store.ts'
import { writeMessage } from './write-message.ts'

const PATH = '/users/:user_id/consultations/:consultation_id'

export function consultationRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { db } = deps
  const ensureOwnerInScope = (request: FastifyRequest) => ensureUserInScope(db, userScopeFrom(request))
  const loadTarget = (request: FastifyRequest) =>
    findConsultation(deps, userScopeFrom(request), param(request, 'consultation_id'))

  app.post(
    '/users/:user_id/consultations',
    {
      schema: schemas.createConsultationSchema,
      config: { access: matrix.createConsultation, loadTarget: ensureOwnerInScope, refuses: ['conflict'] },
    },
    (request, reply) => {
      const input = { userId: request.params.user_id, benefitProviderId: request.body.benefit_provider_id }
      return perform(deps, {
        request,
        reply,
        turn: `consultations:${input.userId}`, // concurrent calls would pick the same slot
        decide: (by) => openConsultation(deps, input, by),
        present: (consultation) => created(locationOf(request, consultation.id), versionOf(consultation)),
      })
    },
  )

  app.get(
    '/users/:user_id/consultations',
    {
      schema: schemas.listConsultationsSchema,
      config: { access: matrix.listConsultations, loadTarget: ensureOwnerInScope },
    },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const filter = { statuses: request.query.status, page }
      const { rows, total } = await listConsultations(db, userScopeFrom(request), filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentConsultation))
    },
  )

  app.get(
    PATH,
    { schema: schemas.readConsultationSchema, config: { access: matrix.readConsultation, loadTarget } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await loadTarget(request))),
  )

  app.put(
    `${PATH}/status`,
    {
      schema: schemas.setConsultationStatusSchema,
      config: { access: matrix.setConsultationStatus, loadTarget, refuses: ['invalid_state', 'precondition_failed'] },
    },
    (request, reply) => {
      const { user_id: userId, consultation_id: consultationId } = request.params
      const input = { userId, consultationId, ...request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: consultationId,
        decide: (by) => setConsultationStatus(deps, input, by),
        present: (consultation) => changed(versionOf(consultation)),
      })
    },
  )

  app.post(
    `${PATH}/messages`,
    {
      schema: schemas.createMessageSchema,
      config: { access: matrix.createMessage, loadTarget, refuses: ['invalid_state', 'conflict'] },
    },
    (request, reply) => {
      const { user_id: userId, consultation_id: consultationId } = request.params
      const input = { userId, consultationId, body: request.body.body }
      return perform(deps, {
        request,
        reply,
        ...(request.caller.kind === 'user' && { turn: `messages:${userId}` }), // one row counts all messages of a user
        decide: (by) => writeMessage(deps, input, by),
        present: (message) => responding(presentMessage(message), 201),
      })
    },
  )

  app.get(
    `${PATH}/messages`,
    { schema: schemas.listMessagesSchema, config: { access: matrix.listMessages, loadTarget } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const consultation = await loadTarget(request)
      const { rows, total } = await listMessages(db, consultation, page)
      return paged(
        { request, reply },
        { ...page, total },
        { messages: rows.map(presentMessage), provider: consultation.provider },
      )
    },
  )
}
