export { benefitRoutes } from './routes.ts'
export { Money, PremiumAmounts } from './schemas.ts'
export { type Benefit, findBenefitForShare } from './store.ts'
