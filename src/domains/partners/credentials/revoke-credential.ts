import { Type } from 'typebox'
import { serviceOf, wholeCredential } from '../../../access/caller.ts'
import { matrix } from '../../../access/matrix.ts'
import { revocationOf } from '../../../access/revocations.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { checkFreshTag, etagOf } from '../../../kernel/http/conditional.ts'
import { OneOf, record, ref } from '../../../kernel/http/schemas.ts'
import { foundOrUndefined } from '../../../kernel/problem-error.ts'
import { type Decision, newEvent, operation, responding, unchanged } from '../../../record/index.ts'
import { type CredentialOwner, ownPlatformIn, ownProviderIn, platformIn, providerIn } from './owners.ts'
import { BenefitProviderCredentialPath, credentialEvent, PlatformCredentialPath, tags, versionOf } from './records.ts'
import { DELETE_CREDENTIAL, END_USER_TOKENS, findCredentialOf, findSlots, keepsUserTokens } from './store.ts'

const Revocation = record(
  'Revocation',
  { revoked: Type.Boolean({ description: 'False when the credential does not exist, which is not an error' }) },
  { description: 'Whether a credential was revoked', examples: [{ revoked: true }] },
)

/** Platforms only: benefit providers issue no user tokens. */
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

const description =
  'Tokens issued through it stop working within a second. Returns `revoked: false` when the credential does not exist.'

export const revokePlatformCredential = operation('DELETE /platforms/:platform_id/credentials/:credential_id', {
  access: matrix.revokePlatformCredential,
  tags,
  summary: 'Revoke a credential of a platform',
  description: `${description} Repeated without \`keep_user_tokens\`, it ends the user tokens that the first call kept.`,
  params: PlatformCredentialPath,
  querystring: KeepUserTokens,
  response: { 200: ref(Revocation) },
  problems: ['not_found', 'precondition_failed'],
  checkTargetFirst: ownPlatformIn,
  serializeBy: ({ params }) => params.credential_id,
  decide: ({ deps, request, params, query }) =>
    decideRevocation(deps.db, {
      owner: platformIn(params),
      credentialId: params.credential_id,
      keepsUserTokens: query.keep_user_tokens === 'true',
      ifMatch: request.headers['if-match'],
    }),
  present: (revoked) => responding({ revoked }),
})

export const revokeBenefitProviderCredential = operation(
  'DELETE /benefit_providers/:benefit_provider_id/credentials/:credential_id',
  {
    access: matrix.revokeBenefitProviderCredential,
    tags,
    summary: 'Revoke a credential of a benefit provider',
    description,
    params: BenefitProviderCredentialPath,
    response: { 200: ref(Revocation) },
    problems: ['not_found', 'precondition_failed'],
    checkTargetFirst: ownProviderIn,
    serializeBy: ({ params }) => params.credential_id,
    decide: ({ deps, request, params }) =>
      decideRevocation(deps.db, {
        owner: providerIn(params),
        credentialId: params.credential_id,
        keepsUserTokens: false,
        ifMatch: request.headers['if-match'],
      }),
    present: (revoked) => responding({ revoked }),
  },
)

type RevocationRequest = {
  owner: CredentialOwner
  credentialId: string
  keepsUserTokens: boolean
  ifMatch: string | undefined
}

/** The result is false when the credential does not exist. Throws 404 when its owner does not. */
async function decideRevocation(db: Queryable, revocation: RevocationRequest): Promise<Decision<boolean>> {
  const { owner, credentialId, ifMatch } = revocation
  if (ifMatch !== undefined) {
    const credential = await foundOrUndefined(findCredentialOf(db, owner, credentialId))
    checkFreshTag(ifMatch, credential && etagOf(versionOf(credential)))
  }
  const slots = await findSlots(db, owner)
  if (!slots.some((used) => used.credentialId === credentialId)) return endUserTokens(db, revocation)
  return {
    result: true,
    ...DELETE_CREDENTIAL.with({ credential_id: credentialId, owner_id: owner.id }),
    rows: revocationOf((revocation.keepsUserTokens ? serviceOf : wholeCredential)(credentialId)),
    events: [newEvent('credential.revoked', credentialEvent(owner, credentialId))],
  }
}

/** Decides what a repeated revocation does: without `keepsUserTokens`, it ends the tokens that the first one kept. */
async function endUserTokens(
  db: Queryable,
  { owner, credentialId, keepsUserTokens: keeps }: RevocationRequest,
): Promise<Decision<boolean>> {
  if (keeps || !(await keepsUserTokens(db, owner, credentialId))) return unchanged(false)
  return {
    result: false,
    ...END_USER_TOKENS.with({}),
    rows: revocationOf(wholeCredential(credentialId)),
  }
}
