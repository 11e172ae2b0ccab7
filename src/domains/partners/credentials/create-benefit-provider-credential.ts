import { operation } from '../../../record/index.ts'
import { BenefitProviderPath } from '../benefit-providers/index.ts'
import { decideCredential, ensureLive, NewCredential, presentNew } from './decide-credential.ts'
import { providerIn, tags } from './records.ts'
import { ownProviderIn } from './store.ts'
import { CredentialInput, validateLimits } from './validate-limits.ts'

export const createBenefitProviderCredential = operation('POST /benefit_providers/:benefit_provider_id/credentials', {
  access: 'createBenefitProviderCredential',
  tags,
  summary: 'Create a credential for a benefit provider',
  description:
    'Only this response contains the `basic_token`. At most 20 credentials; when all 20 are in use, an ' +
    'expired one is replaced. The body is optional and sets limits.',
  params: BenefitProviderPath,
  body: CredentialInput,
  response: { 201: NewCredential },
  problems: ['not_found', 'conflict'],
  validate: validateLimits,
  checkTargetFirst: ownProviderIn,
  serializeBy: ({ params }) => params.benefit_provider_id,
  change: ({ deps, params, body }, author) => decideCredential(deps.db, providerIn(params), body, author),
  present: presentNew,
  replay: (body, { deps, params }) => ensureLive(deps.db, providerIn(params), body),
})
