import { Type } from 'typebox'
import type { Routes } from '../kernel/http/router.ts'
import type { Tokens } from './tokens.ts'

const tags = ['Credentials']

const Address = (description: string) => Type.String({ format: 'uri', description })
const Texts = Type.Array(Type.String())

const keyExample = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'key-1',
  alg: 'EdDSA',
  use: 'sig',
}

const keysSchema = {
  operationId: 'readKeys',
  tags,
  summary: 'Read the public keys',
  description: 'Keys to verify access tokens with (RFC 7517). During a rotation there are several.',
  response: {
    200: Type.Unsafe<ReturnType<Tokens['jwks']>>(
      Type.Object(
        {
          keys: Type.Array(
            Type.Object({
              kty: Type.String({ description: 'Key type' }),
              crv: Type.String({ description: 'Curve' }),
              x: Type.String({ description: 'Public key, base64url' }),
              kid: Type.String({ description: 'Key id, as in the header of tokens' }),
              alg: Type.String({ description: 'Signature algorithm' }),
              use: Type.String({ description: 'Key use' }),
            }),
          ),
        },
        { examples: [{ keys: [keyExample] }] },
      ),
    ),
  },
}

const metadataSchema = (metadata: object) => ({
  operationId: 'readAuthorizationServer',
  tags,
  summary: 'Read the authorization server metadata',
  description: 'Metadata of the authorization server (RFC 8414).',
  response: {
    200: Type.Object(
      {
        issuer: Address('Issuer of the access tokens (`iss`)'),
        token_endpoint: Address('URL that issues access tokens'),
        jwks_uri: Address('URL of the public keys'),
        grant_types_supported: Texts,
        response_types_supported: Texts,
        token_endpoint_auth_methods_supported: Texts,
      },
      { examples: [metadata] },
    ),
  },
})

/** Mounts what a program needs to verify our tokens by itself (RFC 8414, RFC 7517). */
export function wellKnownRoutes(routes: Routes, { tokens, origin }: { tokens: Tokens; origin: string }): void {
  const config = { access: 'anyone' as const }
  const metadata = {
    issuer: origin,
    token_endpoint: `${origin}/v1/oauth/token`,
    jwks_uri: `${origin}/.well-known/jwks.json`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  }

  routes.add('GET /.well-known/jwks.json', { schema: keysSchema, config }, () => tokens.jwks())

  routes.add(
    'GET /.well-known/oauth-authorization-server',
    { schema: metadataSchema(metadata), config },
    () => metadata,
  )
}
