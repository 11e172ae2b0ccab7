export type { FollowVersion } from './create-dependants.ts'
export { dependantRoutes } from './routes.ts'
export { checkAreCurrent, type DependantName, openName } from './store.ts'
