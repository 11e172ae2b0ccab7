export { openIdentityProvider } from './open-identity-provider.ts'
export { roleFrom } from './role-from.ts'
export { administratorRoutes, dashboardRoutes, type Login } from './routes.ts'
export { ADMINISTRATOR_STATUSES } from './states.ts'
