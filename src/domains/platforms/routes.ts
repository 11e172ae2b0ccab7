import { actorFrom } from '../../access/caller.ts'
import { matrix } from '../../access/matrix.ts'
import type { Deps } from '../../deps.ts'
import { answerChanged, answerRecord } from '../../kernel/http/conditional.ts'
import { paged, pageFrom } from '../../kernel/http/paging.ts'
import type { App } from '../../kernel/http/server.ts'
import { presentPlatform, versionOf } from './present.ts'
import * as schemas from './schemas.ts'
import { setPlatformStatus } from './set-platform-status.ts'
import { findPlatform, insertPlatform, listPlatforms } from './store.ts'

export function platformRoutes(app: App, { db }: Deps): void {
  app.addSchema(schemas.Platform)
  const reach = (request: { params: unknown }) =>
    findPlatform(db, (request.params as { platform_id: string }).platform_id)

  app.post(
    '/platforms',
    { schema: schemas.createPlatformSchema, config: { may: matrix.createPlatform } },
    async (request, reply) => {
      const { name, default_account_type: defaultAccountType = 'SAVINGS' } = request.body
      const platform = await db.transaction((tx) => insertPlatform(tx, { name, defaultAccountType }))
      return reply
        .code(201)
        .header('location', `/v1/platforms/${platform.id}`)
        .send(answerChanged(reply, versionOf(platform)))
    },
  )

  app.get(
    '/platforms',
    { schema: schemas.listPlatformsSchema, config: { may: matrix.listPlatforms } },
    async (request, reply) => {
      const page = pageFrom(request.query)
      const { rows, total } = await listPlatforms(db, request.query.status, page)
      return paged({ request, reply }, { ...page, total }, rows.map(presentPlatform))
    },
  )

  app.get(
    '/platforms/:platform_id',
    { schema: schemas.readPlatformSchema, config: { may: matrix.readPlatform, reach, refuses: ['not_found'] } },
    async (request, reply) =>
      answerRecord({ request, reply }, versionOf(await findPlatform(db, request.params.platform_id))),
  )

  app.put(
    '/platforms/:platform_id/status',
    {
      schema: schemas.setPlatformStatusSchema,
      config: { may: matrix.setPlatformStatus, reach, refuses: ['not_found', 'invalid_state', 'precondition_failed'] },
    },
    async (request, reply) => {
      const form = {
        platformId: request.params.platform_id,
        status: request.body.status,
        reason: request.body.reason,
        ifMatch: request.headers['if-match'],
        by: actorFrom(request),
      }
      return answerChanged(reply, versionOf(await db.transaction((tx) => setPlatformStatus(tx, form))))
    },
  )
}
