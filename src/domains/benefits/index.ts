export { benefitRoutes } from './routes.ts'
export { PremiumAmounts } from './schemas.ts'
export { type Benefit, findBenefit, findBenefitForShare } from './store.ts'
