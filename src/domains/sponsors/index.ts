export { sponsorRoutes } from './routes.ts'
export { findSponsor } from './store.ts'
