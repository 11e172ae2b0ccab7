export { sponsorRoutes } from './routes.ts'
export { findSponsor, openSponsor } from './store.ts'
