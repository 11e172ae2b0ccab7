import { Type } from 'typebox'
import { OneOf } from '../../../kernel/http/schemas.ts'
import { operation, responding } from '../../../record/index.ts'
import { decideRevocation } from './decide-revocation.ts'
import { PlatformCredentialPath, platformIn, Revocation, tags } from './records.ts'
import { ownPlatformIn } from './store.ts'

const KeepUserTokens = Type.Object(
  {
    keep_user_tokens: Type.Optional(
      OneOf(['true', 'false'], {
        description: 'For planned rotation: with `true`, user tokens issued through it stay valid until they expire',
      }),
    ),
  },
  { additionalProperties: false },
)

export const revokePlatformCredential = operation('DELETE /platforms/:platform_id/credentials/:credential_id', {
  access: 'revokePlatformCredential',
  tags,
  summary: 'Revoke a credential of a platform',
  description:
    'Tokens issued through it stop working within a second. Returns `revoked: false` when the credential does not ' +
    'exist. Repeated without `keep_user_tokens`, it ends the user tokens that the first call kept.',
  params: PlatformCredentialPath,
  querystring: KeepUserTokens,
  response: { 200: Revocation },
  problems: ['not_found', 'precondition_failed'],
  checkTargetFirst: ownPlatformIn,
  serializeBy: ({ params }) => params.credential_id,
  change: ({ deps, request, params, query }) =>
    decideRevocation(deps.db, {
      owner: platformIn(params),
      credentialId: params.credential_id,
      keepsUserTokens: query.keep_user_tokens === 'true',
      ifMatch: request.headers['if-match'],
    }),
  present: (revoked) => responding({ revoked }),
})
