import { operation } from '../../../record/index.ts'
import { PlatformPath } from '../platforms/index.ts'
import { decideCredential, ensureLive, NewCredential, presentNew } from './decide-credential.ts'
import { platformIn, tags } from './records.ts'
import { ownPlatformIn } from './store.ts'
import { CredentialInput, validateLimits } from './validate-limits.ts'

export const createPlatformCredential = operation('POST /platforms/:platform_id/credentials', {
  access: 'createPlatformCredential',
  tags,
  summary: 'Create a credential for a platform',
  description:
    'Only this response contains the `basic_token`. At most 20 credentials; when all 20 are in use, an ' +
    'expired one is replaced. The body is optional and sets limits.',
  params: PlatformPath,
  body: CredentialInput,
  response: { 201: NewCredential },
  problems: ['not_found', 'conflict'],
  validate: validateLimits,
  checkTargetFirst: ownPlatformIn,
  serializeBy: ({ params }) => params.platform_id,
  change: ({ deps, params, body }, author) => decideCredential(deps.db, platformIn(params), body, author),
  present: presentNew,
  replay: (body, { deps, params }) => ensureLive(deps.db, platformIn(params), body),
})
