import type { App } from '../kernel/http/server.ts'
import type { Tokens } from './tokens.ts'

/** What a program needs to check our tokens by itself (RFC 8414, RFC 7517). */
export function wellKnownRoutes(app: App, { tokens, origin }: { tokens: Tokens; origin: string }): void {
  const open = { schema: { hide: true }, config: { may: 'anyone' as const } }

  app.get('/.well-known/jwks.json', open, () => tokens.jwks())

  app.get('/.well-known/oauth-authorization-server', open, () => ({
    issuer: origin,
    token_endpoint: `${origin}/v1/oauth/token`,
    jwks_uri: `${origin}/.well-known/jwks.json`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  }))
}
