export { policyRoutes } from './routes.ts'
export { hasOpenPolicies } from './store.ts'
