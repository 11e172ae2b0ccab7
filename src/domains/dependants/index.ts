export { dependantRoutes } from './routes.ts'
export type { DependantInput } from './schemas.ts'
export { openDependant } from './store.ts'
