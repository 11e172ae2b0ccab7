import type { FastifyRequest } from 'fastify'
import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import { userScopeFrom } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { reachUser } from '../users/index.ts'
import { moveConsultation, openConsultation } from './open-consultation.ts'
import { presentConsultation, presentMessage, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findConsultation, listConsultations, listMessages } from './store.ts'
import { writeMessage } from './write-message.ts'

const HERE = '/users/:user_id/consultations/:consultation_id'

export function consultationRoutes(app: App, { db, vault }: Deps): void {
  for (const schema of schemas.records) app.addSchema(schema)
  const reachOwner = (request: FastifyRequest) => reachUser(db, userScopeFrom(request))
  const reach = (request: FastifyRequest) =>
    findConsultation(db, vault, userScopeFrom(request), (request.params as { consultation_id: string }).consultation_id)

  app.post(
    '/users/:user_id/consultations',
    { schema: schemas.createConsultationSchema, config: { may: matrix.createConsultation, reach: reachOwner } },
    async (request, reply) => {
      const { user_id: userId } = request.params
      const opening = { userId, benefitProviderId: request.body.benefit_provider_id, by: actorFrom(request) }
      const consultation = await db.transaction((tx) => openConsultation(tx, vault, opening))
      const location = `/v1/users/${userId}/consultations/${consultation.id}`
      return reply
        .code(201)
        .header('location', location)
        .send(answerChanged(reply, versionOf(consultation)))
    },
  )

  app.get(
    '/users/:user_id/consultations',
    { schema: schemas.listConsultationsSchema, config: { may: matrix.listConsultations, reach: reachOwner } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listConsultations(db, vault, userScopeFrom(request), {
        statuses: request.query.status,
        page,
      })
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
    async (request, reply) => {
      const { user_id: userId, consultation_id: consultationId } = request.params
      const { status, reason } = request.body
      const move = {
        userId,
        consultationId,
        status,
        reason,
        ifMatch: request.headers['if-match'],
        by: actorFrom(request),
      }
      return answerChanged(reply, versionOf(await db.transaction((tx) => moveConsultation(tx, vault, move))))
    },
  )

  app.post(
    `${HERE}/messages`,
    { schema: schemas.createMessageSchema, config: { may: matrix.createMessage, reach, refuses: ['invalid_state'] } },
    async (request, reply) => {
      const { user_id: userId, consultation_id: consultationId } = request.params
      const form = { userId, consultationId, body: request.body.body, by: actorFrom(request) }
      return reply.code(201).send(presentMessage(await db.transaction((tx) => writeMessage(tx, vault, form))))
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
