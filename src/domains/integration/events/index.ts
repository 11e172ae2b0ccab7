import { listEvents } from './list-events.ts'

export { asyncApi } from './async-api.ts'
export { eventDocumentRoutes } from './routes.ts'
export { eventsSchema } from './records.ts'
export { STATES } from './states.ts'

export const eventOperations = [listEvents]
