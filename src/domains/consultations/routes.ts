import type { FastifyRequest } from 'fastify'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import { locationOf, param } from '../../kernel/http/param.ts'
import type { App } from '../../kernel/http/server.ts'
import { changed, created, perform, responding } from '../../record/index.ts'
import { reachUser } from '../users/index.ts'
import { openConsultation } from './open-consultation.ts'
import { presentConsultation, presentMessage, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { setConsultationStatus } from './set-consultation-status.ts'
import { findConsultation, listConsultations, listMessages } from './store.ts'
import { writeMessage } from './write-message.ts'

const HERE = '/users/:user_id/consultations/:consultation_id'

export function consultationRoutes(app: App, deps: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const { db } = deps
  const reachOwner = (request: FastifyRequest) => reachUser(db, userScopeFrom(request))
  const reach = (request: FastifyRequest) =>
    findConsultation(deps, userScopeFrom(request), param(request, 'consultation_id'))

  app.post(
    '/users/:user_id/consultations',
    {
      schema: schemas.createConsultationSchema,
      config: { may: matrix.createConsultation, reach: reachOwner, refuses: ['conflict'] },
    },
    (request, reply) => {
      const form = { userId: request.params.user_id, benefitProviderId: request.body.benefit_provider_id }
      return perform(deps, {
        request,
        reply,
        turn: `consultations:${form.userId}`, // of two at once one would take the other's slot
        decide: (by) => openConsultation(deps, form, by),
        present: (consultation) => created(locationOf(request, consultation.id), versionOf(consultation)),
      })
    },
  )

  app.get(
    '/users/:user_id/consultations',
    { schema: schemas.listConsultationsSchema, config: { may: matrix.listConsultations, reach: reachOwner } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const filter = { statuses: request.query.status, page }
      const { rows, total } = await listConsultations(db, userScopeFrom(request), filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentConsultation))
    },
  )

  app.get(
    HERE,
    { schema: schemas.readConsultationSchema, config: { may: matrix.readConsultation, reach } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await reach(request))),
  )

  app.put(
    `${HERE}/status`,
    {
      schema: schemas.setConsultationStatusSchema,
      config: { may: matrix.setConsultationStatus, reach, refuses: ['invalid_state', 'precondition_failed'] },
    },
    (request, reply) => {
      const { user_id: userId, consultation_id: consultationId } = request.params
      const form = { userId, consultationId, ...request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: consultationId,
        decide: (by) => setConsultationStatus(deps, form, by),
        present: (consultation) => changed(versionOf(consultation)),
      })
    },
  )

  app.post(
    `${HERE}/messages`,
    {
      schema: schemas.createMessageSchema,
      config: { may: matrix.createMessage, reach, refuses: ['invalid_state', 'conflict'] },
    },
    (request, reply) => {
      const { user_id: userId, consultation_id: consultationId } = request.params
      const form = { userId, consultationId, body: request.body.body }
      return perform(deps, {
        request,
        reply,
        ...(request.caller.kind === 'user' && { turn: `messages:${userId}` }), // they are counted in one row
        decide: (by) => writeMessage(deps, form, by),
        present: (message) => responding(presentMessage(message), 201),
      })
    },
  )

  app.get(
    `${HERE}/messages`,
    { schema: schemas.listMessagesSchema, config: { may: matrix.listMessages, reach } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const consultation = await reach(request)
      const { rows, total } = await listMessages(db, consultation, page)
      return paged(
        { request, reply },
        { ...page, total },
        { messages: rows.map(presentMessage), provider: consultation.provider },
      )
    },
  )
}
