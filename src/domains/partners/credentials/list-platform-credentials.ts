import { operation } from '../../../record/index.ts'
import { PlatformPath } from '../platforms/index.ts'
import { CredentialList, presentIds, tags } from './records.ts'
import { findCredentialIds, ownPlatformIn } from './store.ts'

export const listPlatformCredentials = operation('GET /platforms/:platform_id/credentials', {
  access: 'listPlatformCredentials',
  tags,
  summary: 'List the credentials of a platform',
  description: 'Ids of the live credentials, newest first, without secrets.',
  params: PlatformPath,
  response: { 200: CredentialList },
  problems: ['not_found'],
  target: ownPlatformIn,
  read: async ({ deps, target }) => presentIds(await findCredentialIds(deps.db, target.id)),
})
