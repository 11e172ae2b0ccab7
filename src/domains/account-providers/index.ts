export { accountProviderRoutes } from './routes.ts'
export { ACTIVE_PROVIDER, NO_ACTIVE_PROVIDER } from './store.ts'
export { ACCOUNT_PROVIDER_STATUSES } from './states.ts'
