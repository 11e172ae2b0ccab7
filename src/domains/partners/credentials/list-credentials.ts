import { Type } from 'typebox'
import { matrix } from '../../../access/matrix.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import { record, ref } from '../../../kernel/http/schemas.ts'
import { operation } from '../../../record/index.ts'
import { BenefitProviderPath } from '../benefit-providers/index.ts'
import { PlatformPath } from '../platforms/index.ts'
import { type CredentialOwner, ownPlatformIn, ownProviderIn } from './owners.ts'
import { tags } from './records.ts'
import { findCredentialIds } from './store.ts'

const CredentialList = record(
  'CredentialList',
  { credentials: Type.Array(Type.Object({ credential_id: Type.String() })) },
  {
    description: 'Live credentials, newest first, without secrets',
    examples: [{ credentials: [{ credential_id: 'crd_06bnv3m2r8f1s4k7q9t3v6w0y2' }] }],
  },
)

const description = 'Ids of the live credentials, newest first, without secrets.'

export const listPlatformCredentials = operation('GET /platforms/:platform_id/credentials', {
  access: matrix.listPlatformCredentials,
  tags,
  summary: 'List the credentials of a platform',
  description,
  params: PlatformPath,
  response: { 200: ref(CredentialList) },
  problems: ['not_found'],
  versioned: false,
  target: ownPlatformIn,
  read: list,
})

export const listBenefitProviderCredentials = operation('GET /benefit_providers/:benefit_provider_id/credentials', {
  access: matrix.listBenefitProviderCredentials,
  tags,
  summary: 'List the credentials of a benefit provider',
  description,
  params: BenefitProviderPath,
  response: { 200: ref(CredentialList) },
  problems: ['not_found'],
  versioned: false,
  target: ownProviderIn,
  read: list,
})

async function list({ deps, target }: { deps: { db: Queryable }; target: CredentialOwner }) {
  const ids = await findCredentialIds(deps.db, target.id)
  return { credentials: ids.map((credential_id) => ({ credential_id })) }
}
