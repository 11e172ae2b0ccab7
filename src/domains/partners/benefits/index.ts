export { benefitRoutes } from './routes.ts'
export { PremiumAmounts } from './schemas.ts'
export type { Benefit } from './store.ts'
