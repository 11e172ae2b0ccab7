import { Type } from 'typebox'
import { PathId, record, ref } from '../../kernel/http/schemas.ts'

const NewCredential = record(
  'NewCredential',
  {
    basic_token: Type.String({ description: 'Goes into `Authorization: Basic` as it is. Shown here and never again.' }),
    credential_id: Type.String(),
  },
  {
    description: 'A credential with its secret',
    examples: [
      { basic_token: 'Y3JkXzA2Ym52M20yLi4uOmJ5bl9zZWNfLi4u', credential_id: 'crd_06bnv3m2r8f1s4k7q9t3v6w0y2' },
    ],
  },
)

const CredentialList = record(
  'CredentialList',
  { credentials: Type.Array(Type.Object({ credential_id: Type.String() })) },
  {
    description: 'Live credentials, newest first, without secrets',
    examples: [{ credentials: [{ credential_id: 'crd_06bnv3m2r8f1s4k7q9t3v6w0y2' }] }],
  },
)

const Revocation = record(
  'Revocation',
  { revoked: Type.Boolean({ description: 'False when there was no such credential; that is not an error' }) },
  { description: 'Whether a credential was revoked', examples: [{ revoked: true }] },
)

const AccessToken = record(
  'AccessToken',
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds' }),
  },
  {
    description: 'An access token (RFC 6749)',
    examples: [{ access_token: 'eyJhbGciOi…', token_type: 'Bearer', expires_in: 3600 }],
  },
)

export const records = [NewCredential, CredentialList, Revocation, AccessToken]

const tags = ['Credentials']

type Owner = { words: string; path: Record<string, ReturnType<typeof PathId>> }

export const PLATFORM: Owner = { words: 'platform', path: { platform_id: PathId('The platform') } }
export const PROVIDER: Owner = {
  words: 'benefit provider',
  path: { benefit_provider_id: PathId('The benefit provider') },
}

export const listCredentialsSchema = ({ words, path }: Owner) => ({
  tags,
  summary: `List the credentials of a ${words}`,
  description: 'Ids of the live credentials, newest first; secrets are never listed.',
  params: Type.Object(path),
  response: { 200: ref(CredentialList) },
})

export const createCredentialSchema = ({ words, path }: Owner) => ({
  tags,
  summary: `Create a credential for a ${words}`,
  description: 'The `basic_token` is in this answer only. At most 20 credentials can be live at a time.',
  params: Type.Object(path),
  response: { 201: ref(NewCredential) },
})

export const revokeCredentialSchema = ({ words, path }: Owner) => ({
  tags,
  summary: `Revoke a credential of a ${words}`,
  description:
    'Tokens that came from it stop working within a second. Revoking what is not there answers `revoked: false`.',
  params: Type.Object({ ...path, credential_id: PathId('As returned at creation') }),
  response: { 200: ref(Revocation) },
})

export const exchangeCredentialSchema = {
  tags,
  summary: 'Exchange a credential for an access token',
  description:
    'OAuth 2.0 client credentials (RFC 6749, 4.4): HTTP Basic with the `basic_token`. The token lives 60 minutes.',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  body: Type.Object(
    { grant_type: Type.Literal('client_credentials') },
    { examples: [{ grant_type: 'client_credentials' }] },
  ),
  response: { 200: ref(AccessToken) },
}
