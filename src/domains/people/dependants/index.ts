export { rehashDependants } from './rehash-dependants.ts'
export { dependantRoutes } from './routes.ts'
export { presentDependant } from './present.ts'
export { Dependant as DependantSchema, type DependantInput } from './schemas.ts'
export {
  ERASE_DEPENDANTS,
  findCurrentVersions,
  listVersions,
  openDependant,
  openShownDependant,
  PROFILE as DEPENDANT_PROFILE,
} from './store.ts'
