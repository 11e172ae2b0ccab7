import { Type } from 'typebox'
import { Nullable, OneOf, PathId, record, ref, Timestamp } from '../../../kernel/http/schemas.ts'

const NewCredential = record(
  'NewCredential',
  {
    basic_token: Type.String({ description: 'Send it unchanged as `Authorization: Basic`. Never returned again.' }),
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
    created_at: Timestamp('Time of creation'),
    expires_at: Nullable(Timestamp('Time of expiry')),
    ip_allow_list: Nullable(Type.Array(Type.String(), { description: 'Networks it may be used from' })),
    last_used_at: Nullable(Timestamp('Last use of it or of an access token issued through it, to the minute')),
  },
  {
    description: 'A live credential, without its secret',
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

/** Limits of a new credential; `validateLimits` checks what the schema cannot express. */
const CredentialInput = Type.Object(
  {
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 30,
        description: 'Time of expiry: a future time in UTC',
        examples: ['2027-04-01T00:00:00'],
      }),
    ),
    ip_allow_list: Type.Optional(
      Type.Unsafe<string[] | null>({
        type: ['array', 'null'],
        minItems: 1,
        maxItems: NETWORKS_MAX,
        uniqueItems: true,
        items: { type: 'string', maxLength: NETWORK_LENGTH_MAX },
        description: 'The only IPv4 and IPv6 addresses and networks (CIDR) it may be used from',
        examples: [['203.0.113.0/24', '2001:db8::/32']],
      }),
    ),
  },
  { examples: [{ expires_at: '2027-04-01T00:00:00', ip_allow_list: ['203.0.113.0/24', '2001:db8::/32'] }] },
)

const Revocation = record(
  'Revocation',
  { revoked: Type.Boolean({ description: 'False when the credential does not exist, which is not an error' }) },
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

/** `hasUserTokens`: its credentials issue tokens for users. */
type Owner = { name: string; path: Record<string, ReturnType<typeof PathId>>; hasUserTokens: boolean }

export const PLATFORM: Owner = { name: 'platform', path: { platform_id: PathId('The platform') }, hasUserTokens: true }
export const PROVIDER: Owner = {
  name: 'benefit provider',
  path: { benefit_provider_id: PathId('The benefit provider') },
  hasUserTokens: false,
}

export const listCredentialsSchema = ({ name, path }: Owner) => ({
  tags,
  summary: `List the credentials of a ${name}`,
  description: 'Ids of the live credentials, newest first, without secrets.',
  params: Type.Object(path),
  response: { 200: ref(CredentialList) },
})

export const readCredentialSchema = ({ name, path }: Owner) => ({
  tags,
  summary: `Read a credential of a ${name}`,
  description: 'Returns its limits and its last use, without the secret.',
  params: Type.Object({ ...path, credential_id: PathId('As returned at creation') }),
  response: { 200: ref(Credential) },
})

export const createCredentialSchema = ({ name, path }: Owner) => ({
  tags,
  summary: `Create a credential for a ${name}`,
  description:
    'Only this response contains the `basic_token`. At most 20 live credentials; an expired one is replaced when no ' +
    'place is free. The body is optional and sets limits.',
  params: Type.Object(path),
  body: CredentialInput,
  response: { 201: ref(NewCredential) },
})

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

export const revokeCredentialSchema = ({ name, path, hasUserTokens }: Owner) => ({
  tags,
  summary: `Revoke a credential of a ${name}`,
  description:
    'Tokens issued through it stop working within a second. Returns `revoked: false` when the credential does not' +
    ` exist.${hasUserTokens ? ' Repeated without `keep_user_tokens`, it ends the user tokens that the first call kept.' : ''}`,
  params: Type.Object({ ...path, credential_id: PathId('As returned at creation') }),
  ...(hasUserTokens && { querystring: KeepUserTokens }),
  response: { 200: ref(Revocation) },
})

export const exchangeCredentialSchema = {
  tags,
  summary: 'Exchange a credential for an access token',
  description:
    'OAuth 2.0 client credentials (RFC 6749, 4.4): HTTP Basic with the `basic_token`. The token is valid for 60 ' +
    'minutes. A form has at most 100 fields.',
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  body: Type.Object(
    { grant_type: Type.Literal('client_credentials') },
    { examples: [{ grant_type: 'client_credentials' }] },
  ),
  response: { 200: ref(AccessToken) },
}
