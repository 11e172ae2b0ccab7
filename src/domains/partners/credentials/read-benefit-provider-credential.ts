import { sendRecord } from '../../../kernel/http/conditional.ts'
import { operation } from '../../../record/index.ts'
import { BenefitProviderCredentialPath, CredentialRecord, tags, versionOf } from './records.ts'
import { findOwnCredential, ownProviderIn } from './store.ts'

export const readBenefitProviderCredential = operation(
  'GET /benefit_providers/:benefit_provider_id/credentials/:credential_id',
  {
    access: 'readBenefitProviderCredential',
    versioned: true,
    tags,
    summary: 'Read a credential of a benefit provider',
    description: 'Returns its limits and its last use, without the secret.',
    params: BenefitProviderCredentialPath,
    response: { 200: CredentialRecord },
    problems: ['not_found'],
    target: async (call) => findOwnCredential(call.deps.db, await ownProviderIn(call), call.params.credential_id),
    read: (call) => sendRecord(call, versionOf(call.target)),
  },
)
