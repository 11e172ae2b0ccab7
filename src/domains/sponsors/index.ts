export { sponsorRoutes } from './routes.ts'
export { findSponsor, openSponsor } from './store.ts'
export { SPONSOR_STATUSES } from './states.ts'
