export { auditRoutes } from './routes.ts'
export { presentForUser, type Summaries } from './present.ts'
export { AccessEntry } from './schemas.ts'
export { END as END_OF_LOG, listOfUser } from './store.ts'
