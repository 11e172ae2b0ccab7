import { operation } from '../../../record/index.ts'
import { BenefitProviderPath } from '../benefit-providers/index.ts'
import { CredentialList, presentIds, tags } from './records.ts'
import { findCredentialIds, ownProviderIn } from './store.ts'

export const listBenefitProviderCredentials = operation('GET /benefit_providers/:benefit_provider_id/credentials', {
  access: 'listBenefitProviderCredentials',
  tags,
  summary: 'List the credentials of a benefit provider',
  description: 'Ids of the live credentials, newest first, without secrets.',
  params: BenefitProviderPath,
  response: { 200: CredentialList },
  problems: ['not_found'],
  target: ownProviderIn,
  read: async ({ deps, target }) => presentIds(await findCredentialIds(deps.db, target.id)),
})
