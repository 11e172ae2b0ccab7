import type { OidcIdentityProviderSettings } from './adapters/oidc-identity-provider.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** Opens the identity provider. Its client is loaded for the first login: 20 ms that a start need not take. */
export function createIdentityProvider(settings: OidcIdentityProviderSettings): IdentityProvider {
  let opened: Promise<IdentityProvider> | undefined
  const provider = () => (opened ??= load(settings))
  return {
    issuer: settings.issuer,
    begin: async () => (await provider()).begin(),
    finish: async (...returned) => (await provider()).finish(...returned),
    logOutUrl: async (...session) => (await provider()).logOutUrl(...session),
  }
}

async function load(settings: OidcIdentityProviderSettings): Promise<IdentityProvider> {
  const { createOidcIdentityProvider } = await import('./adapters/oidc-identity-provider.ts')
  return createOidcIdentityProvider(settings)
}
