import type { FastifyRequest } from 'fastify'
import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import { scopeOf } from '../../access/scope.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { createSponsor, missingPlatform } from './create-sponsor.ts'
import { presentSponsor, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { findSponsor, listSponsors } from './store.ts'
import { setSponsorStatus, updateSponsor } from './update-sponsor.ts'

export function sponsorRoutes(app: App, { db, vault }: Deps): void {
  app.addSchema(schemas.Sponsor)
  const reach = (request: FastifyRequest) =>
    findSponsor(db, vault, scopeOf(request.caller), (request.params as { sponsor_id: string }).sponsor_id)

  app.post(
    '/sponsors',
    { schema: schemas.createSponsorSchema, config: { may: matrix.createSponsor, faults: missingPlatform } },
    async (request, reply) => {
      const sponsor = await db.transaction((tx) =>
        createSponsor(tx, vault, { form: request.body, by: actorFrom(request) }),
      )
      return reply
        .code(201)
        .header('location', `/v1/sponsors/${sponsor.id}`)
        .send(answerChanged(reply, versionOf(sponsor)))
    },
  )

  app.get(
    '/sponsors',
    { schema: schemas.listSponsorsSchema, config: { may: matrix.listSponsors } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const filter = { scope: scopeOf(request.caller), statuses: request.query.status, page }
      const { rows, total } = await listSponsors(db, vault, filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentSponsor))
    },
  )

  app.get(
    '/sponsors/:sponsor_id',
    { schema: schemas.readSponsorSchema, config: { may: matrix.readSponsor, reach, refuses: ['not_found'] } },
    async (request, reply) => answerRecord({ request, reply }, versionOf(await reach(request))),
  )

  app.patch(
    '/sponsors/:sponsor_id',
    {
      schema: schemas.updateSponsorSchema,
      config: { may: matrix.updateSponsor, reach, refuses: ['not_found', 'precondition_failed'] },
    },
    async (request, reply) => {
      const change = {
        sponsorId: request.params.sponsor_id,
        ifMatch: request.headers['if-match'],
        by: actorFrom(request),
      }
      return answerChanged(
        reply,
        versionOf(await db.transaction((tx) => updateSponsor(tx, vault, { ...change, patch: request.body }))),
      )
    },
  )

  app.put(
    '/sponsors/:sponsor_id/status',
    {
      schema: schemas.setSponsorStatusSchema,
      config: { may: matrix.setSponsorStatus, reach, refuses: ['not_found', 'invalid_state', 'precondition_failed'] },
    },
    async (request, reply) => {
      const change = {
        sponsorId: request.params.sponsor_id,
        ifMatch: request.headers['if-match'],
        by: actorFrom(request),
      }
      const { status, reason } = request.body
      return answerChanged(
        reply,
        versionOf(await db.transaction((tx) => setSponsorStatus(tx, vault, { ...change, status, reason }))),
      )
    },
  )
}
