export { accountProviderRoutes } from './routes.ts'
export { ACTIVE_PROVIDER, NO_ACTIVE_PROVIDER } from './store.ts'
