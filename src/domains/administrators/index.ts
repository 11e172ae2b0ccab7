export { openOidcIdentityProvider } from './adapters/oidc-identity-provider.ts'
export { roleFrom } from './role-from.ts'
export { administratorRoutes, type Login } from './routes.ts'
