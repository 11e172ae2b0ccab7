export { sponsorRoutes } from './routes.ts'
export { findSponsor, type Sponsor } from './store.ts'
