import { matrix } from '../../../access/matrix.ts'
import { sendRecord } from '../../../kernel/http/conditional.ts'
import { ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { ownPlatformIn, ownProviderIn } from './owners.ts'
import { BenefitProviderCredentialPath, CredentialRecord, PlatformCredentialPath, tags, versionOf } from './records.ts'
import { findCredentialOf } from './store.ts'

const description = 'Returns its limits and its last use, without the secret.'

export const readPlatformCredential = operation('GET /platforms/:platform_id/credentials/:credential_id', {
  access: matrix.readPlatformCredential,
  tags,
  summary: 'Read a credential of a platform',
  description,
  params: PlatformCredentialPath,
  response: { 200: ref(CredentialRecord) },
  problems: ['not_found'],
  target: async (call) => findCredentialOf(call.deps.db, await ownPlatformIn(call), call.params.credential_id),
  read: (call) => sendRecord(call, versionOf(call.target)),
})

export const readBenefitProviderCredential = operation(
  'GET /benefit_providers/:benefit_provider_id/credentials/:credential_id',
  {
    access: matrix.readBenefitProviderCredential,
    tags,
    summary: 'Read a credential of a benefit provider',
    description,
    params: BenefitProviderCredentialPath,
    response: { 200: ref(CredentialRecord) },
    problems: ['not_found'],
    target: async (call) => findCredentialOf(call.deps.db, await ownProviderIn(call), call.params.credential_id),
    read: (call) => sendRecord(call, versionOf(call.target)),
  },
)
