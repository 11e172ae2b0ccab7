export { rehashDependants } from './rehash-dependants.ts'
export { dependantRoutes } from './routes.ts'
export type { DependantInput } from './schemas.ts'
export { openDependant } from './store.ts'
