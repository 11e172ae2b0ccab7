export { dependantRoutes } from './routes.ts'
export type { DependantForm } from './schemas.ts'
export { openDependant } from './store.ts'
