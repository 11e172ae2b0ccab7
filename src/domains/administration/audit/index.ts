export { auditRoutes } from './routes.ts'
export { actorInWords, presentForUser, type Summaries } from './present.ts'
export { AccessActor, AccessEntry } from './schemas.ts'
export { END as END_OF_LOG, listOfUser } from './store.ts'
