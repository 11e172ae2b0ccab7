export { foreignPlatform } from './foreign-platform.ts'
export { platformRoutes } from './routes.ts'
export { ACCOUNT_TYPES, type AccountType, PLATFORM_STATUSES } from './states.ts'
export { findPlatform, listPlatformIds } from './store.ts'
