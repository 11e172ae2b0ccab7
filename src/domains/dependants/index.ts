export { dependantRoutes } from './routes.ts'
export type { DependantForm } from './schemas.ts'
export { currentDependantIds, openDependant } from './store.ts'
