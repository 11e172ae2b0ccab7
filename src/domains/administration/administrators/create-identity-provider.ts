import type { OidcIdentityProviderSettings } from './adapters/oidc-identity-provider.ts'
import type { IdentityProvider } from './identity-provider.ts'

/** Opens the identity provider. Its client is loaded for the first login: 20 ms that a start need not take. */
export function createIdentityProvider(settings: OidcIdentityProviderSettings): IdentityProvider {
  let opened: Promise<IdentityProvider> | undefined
  const load = async () => (await import('./adapters/oidc-identity-provider.ts')).createOidcIdentityProvider(settings)
  const provider = () => (opened ??= load())
  return {
    issuer: settings.issuer,
    begin: async () => (await provider()).begin(),
    finish: async (...returned) => (await provider()).finish(...returned),
    logOutUrl: async (...session) => (await provider()).logOutUrl(...session),
  }
}
