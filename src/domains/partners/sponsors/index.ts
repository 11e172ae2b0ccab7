export { sponsorRoutes } from './routes.ts'
export { findSponsor, openSponsor, PROFILE as SPONSOR_PROFILE } from './store.ts'
export { SPONSOR_STATUSES } from './states.ts'
