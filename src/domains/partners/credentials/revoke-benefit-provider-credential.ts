import { operation, responding } from '../../../record/index.ts'
import { decideRevocation } from './decide-revocation.ts'
import { BenefitProviderCredentialPath, providerIn, Revocation, tags } from './records.ts'
import { ownProviderIn } from './store.ts'

export const revokeBenefitProviderCredential = operation(
  'DELETE /benefit_providers/:benefit_provider_id/credentials/:credential_id',
  {
    access: 'revokeBenefitProviderCredential',
    tags,
    summary: 'Revoke a credential of a benefit provider',
    description:
      'Tokens issued through it stop working within a second. Returns `revoked: false` when the credential does not ' +
      'exist.',
    params: BenefitProviderCredentialPath,
    response: { 200: Revocation },
    problems: ['not_found', 'precondition_failed'],
    checkTargetFirst: ownProviderIn,
    serializeBy: ({ params }) => params.credential_id,
    change: ({ deps, request, params }) =>
      decideRevocation(deps.db, {
        owner: providerIn(params),
        credentialId: params.credential_id,
        keepsUserTokens: false, // benefit providers issue none
        ifMatch: request.headers['if-match'],
      }),
    present: (revoked) => responding({ revoked }),
  },
)
