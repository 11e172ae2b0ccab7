import { matrix } from '../../../access/matrix.ts'
import type { Deps } from '../../../deps.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../../kernel/http/paging.ts'
import { locationOf, param } from '../../../kernel/http/param.ts'
import type { App } from '../../../kernel/http/server.ts'
import { changed, created, perform } from '../../../record/index.ts'
import { createPlatform } from './create-platform.ts'
import { presentPlatform, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { setPlatformStatus } from './set-platform-status.ts'
import { findPlatform, listPlatforms } from './store.ts'

export function platformRoutes(app: App, deps: Deps): void {
  app.addSchema(schemas.Platform)
  const { db } = deps
  const loadTarget = (request: { params: unknown }) => findPlatform(db, param(request, 'platform_id'))

  app.post(
    '/platforms',
    { schema: schemas.createPlatformSchema, config: { access: matrix.createPlatform } },
    (request, reply) => {
      const { name, default_account_type: defaultAccountType = 'SAVINGS' } = request.body
      return perform(deps, {
        request,
        reply,
        decide: async (by) => createPlatform({ name, defaultAccountType }, by),
        present: (platform) => created(locationOf(request, platform.id), versionOf(platform)),
      })
    },
  )

  app.get(
    '/platforms',
    { schema: schemas.listPlatformsSchema, config: { access: matrix.listPlatforms } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listPlatforms(db, { statuses: request.query.status, page })
      return paged({ request, reply }, { ...page, total }, rows.map(presentPlatform))
    },
  )

  app.get(
    '/platforms/:platform_id',
    { schema: schemas.readPlatformSchema, config: { access: matrix.readPlatform, loadTarget, refuses: ['not_found'] } },
    async (request, reply) => sendRecord({ request, reply }, versionOf(await loadTarget(request))),
  )

  app.put(
    '/platforms/:platform_id/status',
    {
      schema: schemas.setPlatformStatusSchema,
      config: { access: matrix.setPlatformStatus, loadTarget, refuses: ['not_found', 'precondition_failed'] },
    },
    (request, reply) => {
      const { platform_id: platformId } = request.params
      const input = { platformId, ...request.body, ifMatch: request.headers['if-match'] }
      return perform(deps, {
        request,
        reply,
        turn: platformId,
        decide: (by) => setPlatformStatus(db, input, by),
        present: (platform) => changed(versionOf(platform)),
      })
    },
  )
}
