import type { FastifyRequest } from 'fastify'
import { matrix } from '../../../access/matrix.ts'
import { scopeOf } from '../../../access/scope.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { changed, created, perform } from '../../../record/index.ts'
import { createSponsor, validatePlatform } from './create-sponsor.ts'
import { presentSponsor, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { setSponsorStatus } from './set-sponsor-status.ts'
import { findSponsor, listSponsors } from './store.ts'
import { updateSponsor } from './update-sponsor.ts'

export function sponsorRoutes(app: App, deps: Deps): void {
  app.addSchema(schemas.Sponsor)
  const { db, vault } = deps
  const loadTarget = (request: FastifyRequest) =>
    findSponsor(db, vault, scopeOf(request.caller), param(request, 'sponsor_id'))

  app.post(
    '/sponsors',
    { schema: schemas.createSponsorSchema, config: { access: matrix.createSponsor, errors: validatePlatform } },
    (request, reply) =>
      perform(deps, {
        request,
        reply,
        decide: (by) => createSponsor(deps, request.body, by),
        present: (sponsor) => created(locationOf(request, sponsor.id), versionOf(sponsor)),
      }),
  )

  app.get(
    '/sponsors',
    { schema: schemas.listSponsorsSchema, config: { access: matrix.listSponsors } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const filter = { scope: scopeOf(request.caller), statuses: request.query.status, page }
      const { rows, total } = await listSponsors(db, vault, filter)
      return paged({ request, reply }, { ...page, total }, rows.map(presentSponsor))
    },
  )

  app.get(
    '/sponsors/:sponsor_id',
    { schema: schemas.readSponsorSchema, config: { access: matrix.readSponsor, loadTarget, refuses: ['not_found'] } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await loadTarget(request))),
  )

  app.patch(
    '/sponsors/:sponsor_id',
    {
      schema: schemas.updateSponsorSchema,
      config: { access: matrix.updateSponsor, loadTarget, refuses: ['not_found', 'precondition_failed'] },
    },
    (request, reply) => {
      const { sponsor_id: sponsorId } = request.params
      const input = { sponsorId, patch: request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: sponsorId,
        decide: (by) => updateSponsor(deps, input, by),
        present: (sponsor) => changed(versionOf(sponsor)),
      })
    },
  )

  app.put(
    '/sponsors/:sponsor_id/status',
    {
      schema: schemas.setSponsorStatusSchema,
      config: {
        access: matrix.setSponsorStatus,
        loadTarget,
        refuses: ['not_found', 'invalid_state', 'precondition_failed'],
      },
    },
    (request, reply) => {
      const { sponsor_id: sponsorId } = request.params
      const input = { sponsorId, ...request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: sponsorId,
        decide: (by) => setSponsorStatus(deps, input, by),
        present: (sponsor) => changed(versionOf(sponsor)),
      })
    },
  )
}
