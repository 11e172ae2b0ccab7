import { userScopeFrom } from '../../../access/scope.ts'
import { type Deps, operationIn } from '../../../record/index.ts'
import { ensureUserInPath, UserPath } from '../../people/users/index.ts'
import { previewErasure } from './decide-erasure.ts'
import { ErasurePreviewRecord, presentPreview, tags } from './records.ts'
import type { ErasureRunContext } from './run-erasures.ts'

export const previewUserErasure = operationIn<Deps & ErasureRunContext>()('GET /users/:user_id/erasure', {
  access: 'previewUserErasure',
  tags,
  summary: 'Preview the erasure of a user',
  description:
    'What `DELETE …/users/{user_id}` would do now: when, what prevents it, and what would become of each field. Changes nothing, and decrypts nothing.',
  params: UserPath,
  response: { 200: ErasurePreviewRecord },
  checkTargetFirst: ensureUserInPath,
  read: async ({ deps, request }) => presentPreview(deps, await previewErasure(deps, userScopeFrom(request))),
})
