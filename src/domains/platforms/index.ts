export { platformRoutes } from './routes.ts'
export { ACCOUNT_TYPES, type AccountType } from './states.ts'
export { findPlatform } from './store.ts'
