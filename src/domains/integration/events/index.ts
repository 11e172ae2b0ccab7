export { asyncApi } from './async-api.ts'
export { eventDocumentRoutes, eventRoutes } from './routes.ts'
export { eventsSchema } from './schemas.ts'
export { STATES } from './states.ts'
