export { dependantRoutes } from './routes.ts'
export { currentDependantIds, type DependantName, openName } from './store.ts'
