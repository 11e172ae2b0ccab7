import { Type } from 'typebox'
import { Nullable, OneOf, PathId, record, ref, Timestamp } from '../../kernel/http/schemas.ts'

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

export const Credential = record(
  'Credential',
  {
    credential_id: Type.String(),
    created_at: Timestamp('When it was made'),
    expires_at: Nullable(Timestamp('From when on it is not good any more')),
    ip_allow_list: Nullable(Type.Array(Type.String(), { description: 'The networks from which it is good' })),
    last_used_at: Nullable(Timestamp('When it, or an access token from it, was last used, to the minute')),
  },
  {
    description: 'A credential that is not revoked, without its secret',
    examples: [
      {
        credential_id: 'crd_06bnv3m2r8f1s4k7q9t3v6w0y2',
        created_at: '2026-04-01T09:30:00',
        expires_at: '2027-04-01T00:00:00',
        ip_allow_list: ['203.0.113.0/24', '2001:db8::/32'],
        last_used_at: '2026-04-02T11:05:00',
      },
    ],
  },
)

const NETWORKS_MAX = 50
const NETWORK_LENGTH_MAX = 50

/** What a new credential is limited to; the rest is checked by `faultsOfForm`. */
const CredentialInput = Type.Object(
  {
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 30,
        description: 'From when on it is not good any more: a time to come in UTC',
        examples: ['2027-04-01T00:00:00'],
      }),
    ),
    ip_allow_list: Type.Optional(
      Type.Unsafe<string[] | null>({
        type: ['array', 'null'],
        minItems: 1,
        maxItems: NETWORKS_MAX,
        items: { type: 'string', maxLength: NETWORK_LENGTH_MAX },
        description: 'Addresses and networks (CIDR) of IPv4 and IPv6 from which alone it is good',
        examples: [['203.0.113.0/24', '2001:db8::/32']],
      }),
    ),
  },
  { examples: [{ expires_at: '2027-04-01T00:00:00', ip_allow_list: ['203.0.113.0/24', '2001:db8::/32'] }] },
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

export const records = [NewCredential, CredentialList, Credential, Revocation, AccessToken]

const tags = ['Credentials']

/** `ofUsers`: users come in through its credentials. */
type Owner = { words: string; path: Record<string, ReturnType<typeof PathId>>; ofUsers: boolean }

export const PLATFORM: Owner = { words: 'platform', path: { platform_id: PathId('The platform') }, ofUsers: true }
export const PROVIDER: Owner = {
  words: 'benefit provider',
  path: { benefit_provider_id: PathId('The benefit provider') },
  ofUsers: false,
}

export const listCredentialsSchema = ({ words, path }: Owner) => ({
  tags,
  summary: `List the credentials of a ${words}`,
  description: 'Ids of the credentials that are not revoked, newest first; secrets are never listed.',
  params: Type.Object(path),
  response: { 200: ref(CredentialList) },
})

export const readCredentialSchema = ({ words, path }: Owner) => ({
  tags,
  summary: `Read a credential of a ${words}`,
  description: 'What it is limited to and when it was last used, without the secret.',
  params: Type.Object({ ...path, credential_id: PathId('As returned at creation') }),
  response: { 200: ref(Credential) },
})

export const createCredentialSchema = ({ words, path }: Owner) => ({
  tags,
  summary: `Create a credential for a ${words}`,
  description:
    'The `basic_token` is in this response only. At most 20 credentials can be there at a time, an expired one until it is revoked. A body is needed for what limits it only.',
  params: Type.Object(path),
  body: CredentialInput,
  response: { 201: ref(NewCredential) },
})

/** Of benefit providers no user comes in through a credential. */
const KeepUserTokens = Type.Object(
  {
    keep_user_tokens: Type.Optional(
      OneOf(['true', 'false'], {
        description: 'With `true`, for a planned rotation, tokens of users who came in through it live to their end',
      }),
    ),
  },
  { additionalProperties: false },
)

export const revokeCredentialSchema = ({ words, path, ofUsers }: Owner) => ({
  tags,
  summary: `Revoke a credential of a ${words}`,
  description:
    'Tokens that came from it stop working within a second. Revoking what is not there answers `revoked: false`.',
  params: Type.Object({ ...path, credential_id: PathId('As returned at creation') }),
  ...(ofUsers && { querystring: KeepUserTokens }),
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
