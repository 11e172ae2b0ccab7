export { dependantRoutes } from './routes.ts'
export { presentDependant } from './present.ts'
export { Dependant as DependantSchema, type DependantInput } from './schemas.ts'
export { FORGET_DEPENDANTS, listVersions, openDependant } from './store.ts'
