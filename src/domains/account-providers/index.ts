export { accountProviderRoutes } from './routes.ts'
export { CHOSEN_PROVIDER, NO_PROVIDER_IS_ACTIVE } from './store.ts'
