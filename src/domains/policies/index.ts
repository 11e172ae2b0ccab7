export { followDependant } from './follow-dependant.ts'
export { policyRoutes } from './routes.ts'
export { runCalendar } from './run-calendar.ts'
export { hasOpenPolicies } from './store.ts'
