import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { PlatformCredentialPath, CredentialRecord, tags, versionOf } from './records.ts'
import { findOwnCredential, ownPlatformIn } from './store.ts'

export const readPlatformCredential = operation('GET /platforms/:platform_id/credentials/:credential_id', {
  access: 'readPlatformCredential',
  tags,
  summary: 'Read a credential of a platform',
  description: 'Returns its limits and its last use, without the secret.',
  params: PlatformCredentialPath,
  versioned: true,
  response: { 200: CredentialRecord },
  problems: ['not_found'],
  target: async (call) => findOwnCredential(call.deps.db, await ownPlatformIn(call), call.params.credential_id),
  read: (call) => sendRecord(call, versionOf(call.target)),
})
